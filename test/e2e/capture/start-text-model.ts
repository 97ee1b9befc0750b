import { createServer, type ServerResponse } from 'node:http';

interface Asked {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: readonly { readonly role: string; readonly content?: unknown }[];
  readonly tools?: readonly unknown[];
}

export interface TextModel {
  /** With its `/v1`. */
  readonly url: string;
  close(): void;
}

/** An OpenAI-compatible server that gives text and nothing else, as closed APIs do. It adds with a tool, then says the sum. */
export async function startTextModel(): Promise<TextModel> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => answer(text === '' ? {} : (JSON.parse(text) as Asked), response));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address() as { port: number };
  return { url: `http://127.0.0.1:${address.port}/v1`, close: () => void server.close() };
}

/** What the model says to a conversation: a call of `add`, or the sum. */
export function decideReply(messages: Asked['messages'] = [], hasTools: boolean): { call?: string; text?: string } {
  const last = messages.at(-1);
  const said = typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content ?? '');
  const numbers = /Add (\d+) and (\d+)/.exec(said);
  if (last?.role === 'user' && hasTools && numbers !== null)
    return { call: `{"a": ${numbers[1]}, "b": ${numbers[2]}}` };
  return { text: /sum=(\d+)/.test(said) ? `It is ${/sum=(\d+)/.exec(said)?.[1]}.` : 'I heard you.' };
}

function answer({ model = 'text', messages, tools = [], stream = false }: Asked, response: ServerResponse): void {
  const { call, text } = decideReply(messages, tools.length > 0);
  const calls =
    call === undefined
      ? undefined
      : [{ id: `call_${messages?.length}`, type: 'function', function: { name: 'add', arguments: call } }];
  const finish = calls === undefined ? 'stop' : 'tool_calls';
  const facts = { id: 'x', created: 1, model };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  if (!stream) {
    const message = { role: 'assistant', content: text ?? null, ...(calls === undefined ? {} : { tool_calls: calls }) };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        ...facts,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: finish }],
        usage,
      }),
    );
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const say = (delta: object, reason: string | null = null): void => {
    const choices = [{ index: 0, delta, finish_reason: reason }];
    response.write(`data: ${JSON.stringify({ ...facts, object: 'chat.completion.chunk', choices })}\n\n`);
  };
  say({ role: 'assistant', content: text === undefined ? null : '' });
  for (const piece of text?.match(/.{1,4}/g) ?? []) say({ content: piece });
  if (calls !== undefined) {
    const [{ id, type, function: { name, arguments: whole } } = calls[0]!] = calls;
    say({ tool_calls: [{ index: 0, id, type, function: { name, arguments: '' } }] });
    for (const piece of whole.match(/.{1,5}/g) ?? [])
      say({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
  }
  say({}, finish);
  response.write(`data: ${JSON.stringify({ ...facts, object: 'chat.completion.chunk', choices: [], usage })}\n\n`);
  response.end('data: [DONE]\n\n');
}
