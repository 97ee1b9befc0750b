import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * A model server that takes a fixed time: answers every completion after LACHESIS_DELAY_MS with the same reply. Prints its
 * address as one JSON line; `GET /seen` says how many requests it had at once.
 */

const delayMs = Number(process.env['LACHESIS_DELAY_MS'] ?? 50);
const tokens = Array.from({ length: 128 }, (_, index) => 1000 + index);
const reply = Buffer.from(
  JSON.stringify({
    id: 'chatcmpl-fake',
    object: 'chat.completion',
    created: 1,
    model: 'fake',
    prompt_token_ids: tokens,
    policy_version: 1,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'x'.repeat(512) },
        finish_reason: 'stop',
        token_ids: tokens,
        token_logprobs: tokens.map((token) => -1 / token),
      },
    ],
    usage: { prompt_tokens: 128, completion_tokens: 128, total_tokens: 256 },
  }),
);

let [underWay, most, total] = [0, 0, 0];
const server = createServer((request, response) => {
  if (request.url === '/seen') {
    response.end(JSON.stringify({ most, total }));
    return;
  }
  underWay += 1;
  total += 1;
  most = Math.max(most, underWay);
  response.once('close', () => (underWay -= 1));
  request.resume();
  request.once('end', () => {
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': reply.byteLength });
      response.end(reply);
    }, delayMs);
  });
});
server.keepAliveTimeout = 60_000;
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
