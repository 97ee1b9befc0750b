import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { postJson } from './post-json.ts';

async function listen(answer: (body: string) => { status: number; text: string } | undefined) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const reply = answer(`${request.headers.authorization} ${Buffer.concat(chunks).toString('utf8')}`);
      if (reply !== undefined) response.writeHead(reply.status).end(reply.text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ask`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('what is left of a deadline is no whole number of milliseconds', async () => {
  const heard: string[] = [];
  await using server = await listen((text) => {
    heard.push(text);
    return { status: 409, text: '{"refusal":{}}' };
  });
  const answer = await postJson()({ url: server.url, token: 't', body: { id: 1 }, timeoutMs: 19_968.503_9 });
  expect(answer).toEqual({ status: 409, body: { refusal: {} } });
  expect(heard).toEqual(['Bearer t {"id":1}']);
});

test('a server that does not answer in time, or not in JSON, is an error', async () => {
  await using silent = await listen(() => undefined);
  await expect(postJson()({ url: silent.url, token: 't', body: {}, timeoutMs: 20.5 })).rejects.toThrow(/abort/);
  await using other = await listen(() => ({ status: 200, text: '<html>' }));
  await expect(postJson()({ url: other.url, token: 't', body: {}, timeoutMs: 5_000 })).rejects.toThrow(/JSON/);
});
