import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChatServer extends AsyncDisposable {
  /** With `/v1`. */
  readonly url: string;
  /** Calls of completions, in order: answered, or refused for a field. */
  readonly calls: readonly { readonly refused: string | undefined; readonly authorization: string | undefined }[];
}

export interface ChatAnswer {
  readonly body: object;
  readonly status?: number;
  /** For what it was refused. */
  readonly refused?: string;
}

export interface ChatServerOptions {
  /** Where completions are asked for; `/v1/chat/completions` by default. Anything else but the models is not found. */
  readonly paths?: readonly string[];
  /** The answer to a request for completions. */
  answer(body: Readonly<Record<string, unknown>>, path: string): ChatAnswer | Promise<ChatAnswer>;
}

/** The name of the one model that such a server has. */
export const MODEL = 'strict';

/** An OpenAI-compatible server on loopback that keeps what came. */
export async function startChatServer(options: ChatServerOptions): Promise<ChatServer> {
  const { paths = ['/v1/chat/completions'], answer } = options;
  const calls: { refused: string | undefined; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const send = ({ body, status = 200 }: ChatAnswer): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      const path = request.url ?? '';
      if (path === '/v1/models') return send({ body: { object: 'list', data: [{ id: MODEL, object: 'model' }] } });
      if (!paths.includes(path)) return send({ body: { error: { message: 'not found' } }, status: 404 });
      const { authorization } = request.headers;
      void Promise.resolve(answer(JSON.parse(text) as Readonly<Record<string, unknown>>, path)).then(
        (answered) => {
          calls.push({ refused: answered.refused, authorization });
          send(answered);
        },
        (error: unknown) => send({ body: { error: { message: String(error) } }, status: 502 }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
