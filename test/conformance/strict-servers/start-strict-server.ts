import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Fields of a chat request that OpenAI's API has, as far as anything here sends them. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'n', 'stop', 'seed'],
  ...['tools', 'tool_choice', 'parallel_tool_calls', 'stream', 'stream_options', 'logprobs', 'top_logprobs'],
  ...['response_format', 'user', 'metadata', 'presence_penalty', 'frequency_penalty', 'reasoning_effort'],
]);

/** How a server says that it does not know a field. */
export const REFUSALS = Object.freeze({
  openai: (field: string) => ({
    status: 400,
    body: {
      error: {
        message: `Unknown parameter: '${field}'.`,
        type: 'invalid_request_error',
        param: field,
        code: 'unknown_parameter',
      },
    },
  }),
  pydantic: (field: string) => ({
    status: 422,
    body: { detail: [{ type: 'extra_forbidden', loc: ['body', field], msg: 'Extra inputs are not permitted' }] },
  }),
  groq: (field: string) => ({
    status: 400,
    body: { error: { message: `property '${field}' is unsupported`, type: 'invalid_request_error' } },
  }),
  silent: () => ({ status: 400, body: { error: { message: 'Extra inputs are not permitted' } } }),
} satisfies Record<string, (field: string) => { status: number; body: object }>);

export type Manner = keyof typeof REFUSALS;

export interface StrictServer extends AsyncDisposable {
  /** With `/v1`. */
  readonly url: string;
  /** Calls of completions, in order: answered, or refused for a field. */
  readonly calls: readonly { readonly refused: string | undefined; readonly authorization: string | undefined }[];
}

/** An OpenAI-compatible server that refuses every field it does not know. */
export async function startStrictServer(manner: Manner): Promise<StrictServer> {
  const calls: { refused: string | undefined; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const answer = (body: object, status = 200): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      if (request.url === '/v1/models') return answer({ object: 'list', data: [{ id: 'strict', object: 'model' }] });
      if (request.url !== '/v1/chat/completions') return answer({ error: { message: 'not found' } }, 404);
      const body = JSON.parse(text) as Record<string, unknown>;
      const refused = Object.keys(body).find((field) => !KNOWN.has(field));
      calls.push({ refused, authorization: request.headers.authorization });
      if (refused !== undefined) {
        const { status, body: refusal } = REFUSALS[manner](refused);
        return answer(refusal, status);
      }
      return answer(writeReply(Number(body['n'] ?? 1), calls.length));
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

function writeReply(samples: number, count: number): object {
  return {
    id: `chatcmpl-${count}`,
    object: 'chat.completion',
    created: 1,
    model: 'strict',
    choices: Array.from({ length: samples }, (_, index) => ({
      index,
      message: {
        role: 'assistant',
        content: 'The answer is \\boxed{4}.',
        refusal: null,
        reasoning_content: 'Counted.',
      },
      finish_reason: 'stop',
    })),
    usage: { prompt_tokens: 9, completion_tokens: 9 * samples, total_tokens: 9 + 9 * samples },
  };
}
