import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Call } from '../judge/witness.ts';

interface Body {
  messages: { role: string; content?: string }[];
}

export interface CountingModel extends AsyncDisposable {
  readonly url: string;
}

export interface CountingModelOptions {
  /** Replies of one prompt: all but the last call a tool. */
  readonly turns: number;
  /** Each call, before it is answered. What it gives back is called when the reply has been handed to the system. */
  readonly onAsked: (call: Call) => () => void;
  readonly thinkMs: number;
  /** Replies wait for it: while a life is replaced the others do not run on to the end. */
  readonly ready: () => Promise<unknown>;
}

/** A model whose replies depend on the prompt and the turn alone, so that every run of it gives the same rows. */
export async function startCountingModel({
  turns,
  onAsked,
  thinkMs,
  ready,
}: CountingModelOptions): Promise<CountingModel> {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const { messages } = JSON.parse(text) as Body;
      const index = Number(/^#(\d+)#/.exec(messages.find(({ role }) => role === 'user')?.content ?? '')?.[1]);
      const turn = messages.filter(({ role }) => role === 'assistant').length;
      const life = request.headers.authorization?.replace('Bearer ', '') ?? '';
      const onAnswered = onAsked({ life, index, turn });
      const answer = (): void => {
        response.once('finish', onAnswered);
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply(index, turn, turns)));
      };
      setTimeout(() => void ready().then(answer), thinkMs);
    });
  });
  // Thousands of short lives: a connection of a dead one is noticed when it is written to.
  server.on('clientError', (_error, socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function reply(index: number, turn: number, turns: number): object {
  const isLast = turn >= turns - 1;
  const call = {
    ...{ id: `call_${index}_${turn}`, type: 'function' },
    function: { name: 'web_search', arguments: `{"text": "${index} at ${turn}"}` },
  };
  const message = {
    ...{ role: 'assistant', content: isLast ? `answer ${index}` : '', reasoning_content: `thought ${index}.${turn}` },
    ...(isLast ? {} : { tool_calls: [call] }),
  };
  return {
    ...{ id: `chat-${index}-${turn}`, object: 'chat.completion', created: 1, model: 'scripted' },
    choices: [{ index: 0, message, finish_reason: isLast ? 'stop' : 'tool_calls' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}
