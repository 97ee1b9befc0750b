import { z } from 'zod';
import { findChatDialect, sendInDialect } from '../../../clients/chat-dialect.ts';
import { ClientError } from '../../../clients/client-error.ts';
import { request } from '../../../clients/request.ts';
import { type AskJudge, JudgeError } from './ask-judge.ts';

export interface JudgeOptions {
  /** Base address of an OpenAI-compatible server, with `/v1`. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** `json_schema` where the server holds the model to a schema; `json_object` or `none` where it knows only that. */
  readonly responseFormat?: 'json_schema' | 'json_object' | 'none';
  readonly maxTokens?: number;
  readonly fetch?: typeof fetch;
}

const DEFAULT_MAX_TOKENS = 1024;
/** A large judge thinks; whoever grades has a limit of its own beside this one. */
const TIMEOUT_MS = 300_000;

const replySchema = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullish() }) })).min(1),
});

/** A judge behind any OpenAI-compatible server, asked at temperature 0. */
export function createJudge(options: JudgeOptions): AskJudge {
  const { url, model, apiKey, responseFormat = 'json_schema', maxTokens = DEFAULT_MAX_TOKENS } = options;
  const send = options.fetch ?? globalThis.fetch;
  // Without the format the verdict is looked for in the text, so a server that has none will do.
  const dialect = findChatDialect({ server: url, fetch: send, optional: ['response_format'] });
  return async ({ messages, schema, signal }) => {
    const asked = { model, messages, temperature: 0, max_tokens: maxTokens, ...describeFormat(responseFormat, schema) };
    const content = await sendInDialect(dialect, asked, (body) =>
      request({
        ...{
          url,
          method: 'POST',
          path: '/chat/completions',
          body,
          signal,
          fetch: send,
          token: apiKey,
          timeoutMs: TIMEOUT_MS,
        },
        parse: (reply) => replySchema.safeParse(reply).data?.choices[0]?.message.content,
      }),
    ).catch((error: unknown) => {
      signal.throwIfAborted();
      if (!ClientError.isInstance(error)) throw error;
      const address = `${url.replace(/\/+$/, '')}/chat/completions`;
      const { status } = error;
      throw new JudgeError({ url: address, ...(status === undefined ? {} : { status }), reason: 'no verdict' });
    });
    if (typeof content !== 'string') {
      throw new JudgeError({ url: `${url.replace(/\/+$/, '')}/chat/completions`, reason: 'gave a reply without text' });
    }
    return content;
  };
}

function describeFormat(format: 'json_schema' | 'json_object' | 'none', schema: unknown): Record<string, unknown> {
  if (format === 'none') return {};
  return {
    response_format:
      format === 'json_object'
        ? { type: format }
        : { type: format, json_schema: { name: 'verdict', strict: true, schema } },
  };
}
