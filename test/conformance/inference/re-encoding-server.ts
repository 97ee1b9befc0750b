import { loadTokenizer } from '@lachesis/sdk/render';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

interface Choice {
  token_ids?: number[];
  token_logprobs?: number[];
}

/**
 * The fault this suite exists to find: a server that keeps the text of a reply and makes its tokens from it again. It
 * stands in front of ours and does that to chat replies; as many ids as before, so that nothing else looks wrong.
 */
export async function startReEncodingServer(options: {
  url: string;
  tokenizerDirectory: string;
}): Promise<{ url: string } & AsyncDisposable> {
  const tokenizer = await loadTokenizer({ directory: options.tokenizerDirectory });
  const server = createServer((request, response) => {
    void (async () => {
      const sent = await readText(request);
      const reply = await fetch(`${options.url}${request.url ?? ''}`, {
        method: request.method ?? 'GET',
        // A GET may not have a body, not even an empty one.
        ...(sent === '' ? {} : { body: sent }),
      });
      const body = (await reply.json()) as { choices?: Choice[] };
      for (const choice of body.choices ?? []) {
        if (choice.token_ids === undefined) continue;
        choice.token_ids = [...(await tokenizer.encode(await tokenizer.decode(choice.token_ids)))];
        choice.token_logprobs = choice.token_ids.map((_, index) => choice.token_logprobs?.[index] ?? -1);
      }
      response.writeHead(reply.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    })().catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
