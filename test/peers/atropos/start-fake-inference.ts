import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json as readJson } from 'node:stream/consumers';

export interface FakeInference extends AsyncDisposable {
  /** With /v1, as environments are given it. */
  readonly url: string;
  /** Completions handed out so far. */
  completions(): number;
}

interface GenerateRequest {
  readonly prompt: { readonly prompt_token_ids: readonly number[] };
  readonly n?: number;
  readonly max_tokens?: number;
}

/** An inference server in vLLM's `/generate` shape that answers with lower-case letters, one token per byte. */
export async function startFakeInference(): Promise<FakeInference> {
  let completions = 0;
  const server = createServer((request, response) => {
    answer(request, response, () => completions++).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the fake inference server has no port');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    completions: () => completions,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, count: () => number): Promise<void> {
  if (request.url === '/health') {
    response.end();
    return;
  }
  if (request.url !== '/generate') {
    response.writeHead(404).end();
    return;
  }
  const { prompt, n = 1, max_tokens: maxTokens = 16 } = (await readJson(request)) as GenerateRequest;
  const outputs = Array.from({ length: n }, () => makeTokens(count(), maxTokens));
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      text: outputs.map((tokens) => String.fromCharCode(...tokens)),
      prompt_token_ids: prompt.prompt_token_ids,
      token_ids: outputs,
      logprobs: outputs.map((tokens) => tokens.map((token) => [{ [token]: -0.25 }])),
      finish_reasons: outputs.map(() => 'stop'),
    }),
  );
}

/** Different for each completion, so that no two sequences of a group are the same. */
function makeTokens(seed: number, length: number): number[] {
  return Array.from({ length }, (_, index) => 97 + ((seed + index * index) % 26));
}
