import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/*
 * A model server that takes a fixed time: answers every completion after LACHESIS_DELAY_MS, whole or, when it is asked for a
 * stream, in pieces of one token. Prints its address as one JSON line.
 */

const delayMs = Number(process.env['LACHESIS_DELAY_MS'] ?? 50);
const TOKENS = 64;
const PIECES_AT_ONCE = 8;
const ids = Array.from({ length: TOKENS }, (_, index) => 1000 + index);
const head = { id: 'chatcmpl-fake', created: 1, model: 'fake' };
const usage = { prompt_tokens: 900, completion_tokens: TOKENS, total_tokens: 900 + TOKENS };
const whole = Buffer.from(
  JSON.stringify({
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'word '.repeat(TOKENS) },
        finish_reason: 'stop',
        token_ids: ids,
        token_logprobs: ids.map((id) => -1 / id),
      },
    ],
    usage,
  }),
);
const event = (value: object): string =>
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...value })}\n\n`;
const pieces = [
  ...ids.map((id) =>
    event({ choices: [{ index: 0, delta: { content: 'word ' }, token_ids: [id], token_logprobs: [-1 / id] }] }),
  ),
  event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage }),
  'data: [DONE]\n\n',
];
const writes = Array.from({ length: Math.ceil(pieces.length / PIECES_AT_ONCE) }, (_, index) =>
  pieces.slice(index * PIECES_AT_ONCE, (index + 1) * PIECES_AT_ONCE).join(''),
);

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json');
    response.end('{"object":"list","data":[{"id":"fake","owned_by":"somebody"}]}');
    return;
  }
  void json(request).then((body) => {
    if ((body as { stream?: boolean }).stream !== true) {
      setTimeout(() => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.byteLength });
        response.end(whole);
      }, delayMs);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const every = delayMs / writes.length;
    const next = (index: number): void => {
      const isLast = index === writes.length - 1;
      if (isLast) response.end(writes[index]);
      else {
        response.write(writes[index]);
        setTimeout(next, every, index + 1);
      }
    };
    setTimeout(next, every, 0);
  });
});
server.keepAliveTimeout = 60_000;
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
