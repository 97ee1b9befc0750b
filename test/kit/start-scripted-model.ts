import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScriptedMessage {
  role: string;
  content?: string | null;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** What the model does next: call a tool, or say something, which ends the task. */
export type ScriptedStep = { call: string; args?: object } | { say: string };

/** Decides by the conversation so far; a step may need what a tool answered. */
export type Script = (conversation: readonly ScriptedMessage[]) => ScriptedStep;

/** One question and its answer, with times of `performance.now()`. */
export interface Exchange {
  conversation: readonly ScriptedMessage[];
  step: ScriptedStep;
  /** Of the call that the answer asks for. */
  callId: string | undefined;
  /** The whole question had come. */
  askedAt: number;
  /** The whole answer was handed to the system. */
  answeredAt: number;
}

export interface ScriptedModelOptions {
  /** How long the model thinks about its next answer; it does not by default. */
  thinkMs?: () => number;
  onExchange?: (exchange: Exchange) => void;
  /** A free one when left out. */
  port?: number;
}

export interface ScriptedModel {
  /** The base URL, with `/v1`. */
  url: string;
  /** Every conversation it was asked with, in order. */
  asked: readonly (readonly ScriptedMessage[])[];
  close(): Promise<void>;
}

/** An OpenAI-compatible server whose one model does what a script says. */
export async function startScriptedModel(
  script: Script,
  { thinkMs, onExchange, port = 0 }: ScriptedModelOptions = {},
): Promise<ScriptedModel> {
  const asked: ScriptedMessage[][] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const answer = (body: object, status = 200): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      if (request.method === 'GET' && request.url === '/v1/models') {
        answer({ object: 'list', data: [{ id: 'scripted', object: 'model' }] });
        return;
      }
      if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
        answer({ error: { message: `there is no ${request.method} ${request.url}` } }, 404);
        return;
      }
      const askedAt = performance.now();
      const { messages } = JSON.parse(text) as { messages: ScriptedMessage[] };
      asked.push(messages);
      const count = asked.length;
      const reply = (): void => {
        try {
          const step = script(messages);
          const callId = 'say' in step ? undefined : `call-${count}`;
          response.once('finish', () =>
            onExchange?.({ conversation: messages, step, callId, askedAt, answeredAt: performance.now() }),
          );
          answer(writeReply(step, count));
        } catch (error) {
          // A script that does not know what to do fails the agent, with its sentence.
          answer({ error: { message: error instanceof Error ? error.message : String(error) } }, 400);
        }
      };
      if (thinkMs === undefined) reply();
      else setTimeout(reply, thinkMs());
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What the last call of a tool gave, as JSON; undefined when it was not called or gave a text. */
export function readToolAnswer(conversation: readonly ScriptedMessage[], tool: string): unknown {
  const call = conversation
    .flatMap(({ tool_calls: calls }) => calls ?? [])
    .findLast(({ function: { name } }) => name === tool);
  const content = conversation.findLast(({ tool_call_id: id }) => id !== undefined && id === call?.id)?.content;
  try {
    return typeof content === 'string' ? JSON.parse(content) : undefined;
  } catch {
    // A guide or a file is a text, and no value.
    return undefined;
  }
}

function writeReply(step: ScriptedStep, count: number): object {
  const message: ScriptedMessage =
    'say' in step
      ? { role: 'assistant', content: step.say }
      : {
          ...{ role: 'assistant', content: null },
          tool_calls: [
            {
              id: `call-${count}`,
              type: 'function',
              function: { name: step.call, arguments: JSON.stringify(step.args ?? {}) },
            },
          ],
        };
  return {
    ...{ id: `chat-${count}`, object: 'chat.completion', created: 1, model: 'scripted' },
    choices: [{ index: 0, message, finish_reason: 'say' in step ? 'stop' : 'tool_calls' }],
    usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  };
}
