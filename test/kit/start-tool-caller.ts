import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makePng } from './make-png.ts';

/** A model that sees; asking it is no question to the agent's model. */
export const SEEING_MODEL = 'seeing';

/** Below what an agent lets one reply ask for. */
const AT_ONCE = 20;

export interface ToolCaller extends AsyncDisposable {
  /** The base URL, with `/v1`: chat, images, and the pages at its root. */
  readonly url: string;
  /** Questions to the agent's model. */
  asked(): number;
  /** What the agent's model was offered, by question. */
  readonly offered: readonly (readonly string[])[];
}

interface Body {
  model: string;
  messages: { role: string; content: unknown }[];
  tools?: { function: { name: string } }[];
}

/**
 * An OpenAI-shaped server whose model calls every offered tool that it has arguments for, once and in their order, and then answers. It
 * makes images, and says of one how many characters it has.
 */
export async function startToolCaller(
  callsOf: (offered: readonly string[]) => readonly (readonly [tool: string, args: object])[],
  /** Pages of HTML by their paths. */
  pages: Readonly<Record<string, string>> = {},
): Promise<ToolCaller> {
  const offered: string[][] = [];
  let images = 0;
  const answer = (path: string, body: Body): unknown => {
    if (path === '/v1/models') return { object: 'list', data: [{ id: 'scripted' }, { id: SEEING_MODEL }] };
    if (path === '/v1/images/generations') return { data: [{ b64_json: makePng((images += 1)).toString('base64') }] };
    if (path !== '/v1/chat/completions') return undefined;
    const finish = (message: object, reason: string): object => ({
      ...{ id: 'x', object: 'chat.completion', created: 1, model: body.model },
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: reason }],
      usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
    });
    if (body.model === SEEING_MODEL) {
      const text = JSON.stringify(body.messages).match(/data:image\/png;base64,([\w+/=]+)/)?.[1] ?? '';
      return finish({ content: `a picture of ${text.length} characters` }, 'stop');
    }
    const names = (body.tools ?? []).map((tool) => tool.function.name);
    offered.push(names);
    const done = body.messages.filter(({ role }) => role === 'tool').length;
    const calls = callsOf(names)
      .filter(([tool]) => names.includes(tool))
      .slice(done, done + AT_ONCE);
    if (calls.length === 0) return finish({ content: 'Moss grows on stones.' }, 'stop');
    const toCall = ([name, args]: readonly [string, object], index: number): object => ({
      ...{ id: `call-${done + index}`, type: 'function', function: { name, arguments: JSON.stringify(args) } },
    });
    return finish({ content: null, tool_calls: calls.map(toCall) }, 'tool_calls');
  };
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const page = pages[request.url ?? ''];
      if (page !== undefined) {
        response.writeHead(200, { 'content-type': 'text/html' }).end(page);
        return;
      }
      const reply = answer(request.url ?? '', (text === '' ? {} : JSON.parse(text)) as Body);
      response.writeHead(reply === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(reply ?? { error: { message: 'not here' } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: () => offered.length,
    offered,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
