import { MODEL, startChatServer, type ChatServer } from './start-chat-server.ts';

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

/** A server that refuses every field it does not know. */
export function startStrictServer(manner: Manner): Promise<ChatServer> {
  let count = 0;
  return startChatServer({
    answer: (body) => {
      const refused = Object.keys(body).find((field) => !KNOWN.has(field));
      if (refused !== undefined) return { ...REFUSALS[manner](refused), refused };
      count += 1;
      return { body: writeReply(Number(body['n'] ?? 1), count) };
    },
  });
}

function writeReply(samples: number, count: number): object {
  return {
    id: `chatcmpl-${count}`,
    object: 'chat.completion',
    created: 1,
    model: MODEL,
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
