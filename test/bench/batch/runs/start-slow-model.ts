import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SlowModel extends AsyncDisposable {
  readonly baseUrl: string;
  /** Forgets what it saw. */
  reset(): void;
  /** Calls, and the seconds from the first one to the last reply: what a runner needs to begin and to end is not in it. */
  read(): { calls: number; seconds: number };
}

/** A model that thinks for so long about each reply, and says its thinking, whole or as a stream. */
export async function startSlowModel({ thinkMs }: { thinkMs: number }): Promise<SlowModel> {
  let calls = 0;
  let first = 0;
  let last = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
        const list = { object: 'list', data: [{ id: 'scripted', object: 'model' }] };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list));
        return;
      }
      const at = performance.now();
      if (calls === 0) first = at;
      calls += 1;
      const isStream = (JSON.parse(text) as { stream?: boolean }).stream === true;
      setTimeout(() => {
        response.once('finish', () => (last = performance.now()));
        if (isStream) stream(response);
        else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion));
      }, thinkMs);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    reset: () => {
      calls = 0;
    },
    read: () => ({ calls, seconds: (last - first) / 1000 }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const said = { content: 'This is the answer.', reasoning_content: 'I thought about it.' };
const head = { id: 'chat-1', created: 1, model: 'scripted' };

const completion = {
  ...{ ...head, object: 'chat.completion' },
  choices: [{ index: 0, message: { role: 'assistant', ...said }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
};

function stream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const deltas: [object, string | null][] = [
    [{ role: 'assistant', content: '' }, null],
    [{ reasoning_content: said.reasoning_content }, null],
    [{ content: said.content }, null],
    [{}, 'stop'],
  ];
  for (const [delta, finish] of deltas) {
    const chunk = { ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  response.end('data: [DONE]\n\n');
}
