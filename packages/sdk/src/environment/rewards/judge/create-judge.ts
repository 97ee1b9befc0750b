import { z } from 'zod';
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

const replySchema = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullish() }) })).min(1),
});

/** A judge behind any OpenAI-compatible server, asked at temperature 0. */
export function createJudge(options: JudgeOptions): AskJudge {
  const { model, apiKey, responseFormat = 'json_schema', maxTokens = DEFAULT_MAX_TOKENS } = options;
  const request = options.fetch ?? fetch;
  const url = `${options.url.replace(/\/+$/, '')}/chat/completions`;
  return async ({ messages, schema, signal }) => {
    const response = await request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({
        model,
        messages,
        temperature: 0,
        max_tokens: maxTokens,
        ...describeFormat(responseFormat, schema),
      }),
      signal,
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new JudgeError({ url, status: response.status, reason: 'no verdict' });
    }
    const reply = replySchema.safeParse(await response.json());
    const content = reply.data?.choices[0]?.message.content;
    if (typeof content !== 'string') throw new JudgeError({ url, reason: 'gave a reply without text' });
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
