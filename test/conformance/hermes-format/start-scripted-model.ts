import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One reply of the model, or the status with which the call fails. */
export type ScriptedReply =
  | {
      readonly content: string | null;
      readonly reasoning?: string;
      readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
    }
  | { readonly status: number };

export interface ScriptedModel extends AsyncDisposable {
  readonly baseUrl: string;
  /** How many calls were answered. */
  readonly calls: () => number;
}

/** Says which question a text is; Hermes may put its own words around it. */
export const questionKey = (text: string): string | undefined => /#q\d+#/.exec(text)?.[0];

/** An OpenAI server that says what is written for the question asked last, reply by reply. */
export async function startScriptedModel(
  script: ReadonlyMap<string, readonly ScriptedReply[]>,
): Promise<ScriptedModel> {
  let count = 0;
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST')
      return send(response, 200, { object: 'list', data: [{ id: 'scripted', object: 'model' }] });
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece as string;
    const body = JSON.parse(text) as { messages: { role: string; content: unknown }[]; stream?: boolean };
    count += 1;
    const last = body.messages.findLastIndex(({ role }) => role === 'user');
    const key = questionKey(JSON.stringify(body.messages[last]?.content ?? ''));
    const step = body.messages.slice(last).filter(({ role }) => role === 'assistant').length;
    const reply = key === undefined ? undefined : script.get(key)?.[step];
    if (reply === undefined) return send(response, 200, completion({ content: 'I have nothing to say.' }));
    if ('status' in reply)
      return send(response, reply.status, { error: { message: 'as scripted', type: 'invalid_request_error' } });
    if (body.stream === true) return stream(response, reply);
    send(response, 200, completion(reply));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls: () => count,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Said = Exclude<ScriptedReply, { status: number }>;

const callsOf = ({ calls }: Said) =>
  calls?.map(({ id, name, arguments: text }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: text },
  }));

const finishOf = ({ calls }: Said): string => (calls === undefined ? 'stop' : 'tool_calls');

function completion(reply: Said) {
  const { content, reasoning } = reply;
  const calls = callsOf(reply)?.map(({ id, type, function: call }) => ({ id, type, function: call }));
  const message = {
    role: 'assistant',
    content,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(calls === undefined ? {} : { tool_calls: calls }),
  };
  return {
    id: 'chatcmpl-scripted',
    object: 'chat.completion',
    created: 1,
    model: 'scripted',
    choices: [{ index: 0, message, finish_reason: finishOf(reply) }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}

function stream(response: ServerResponse, reply: Said): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = (delta: unknown, finish: string | null = null): void => {
    const chunk = {
      id: 'chatcmpl-scripted',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'scripted',
      choices: [{ index: 0, delta, finish_reason: finish }],
    };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  write({ role: 'assistant', content: '' });
  if (reply.reasoning !== undefined) write({ reasoning_content: reply.reasoning });
  if (reply.content !== null) for (const part of cut(reply.content)) write({ content: part });
  for (const call of callsOf(reply) ?? []) {
    write({ tool_calls: [{ ...call, function: { name: call.function.name, arguments: '' } }] });
    for (const part of cut(call.function.arguments))
      write({ tool_calls: [{ index: call.index, function: { arguments: part } }] });
  }
  write({}, finishOf(reply));
  response.end('data: [DONE]\n\n');
}

/** In two pieces, and never between the halves of a surrogate pair. */
function cut(text: string): string[] {
  const characters = Array.from(text);
  const half = characters.length >> 1;
  return [characters.slice(0, half).join(''), characters.slice(half).join('')].filter((part) => part !== '');
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
