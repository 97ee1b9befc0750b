import { sglangGenerateReplySchema } from '@lachesis/protocol';
import { request, type RequestBase } from '../../clients/request.ts';
import { parseReply } from '../../render/messages/parse-reply.ts';
import { renderMessages } from '../../render/messages/render-messages.ts';
import type { Tokenizer } from '../../render/tokenizer/tokenizer.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { Completion, PolicyRequest } from './policy.ts';

export interface AskGenerateOptions {
  readonly asked: PolicyRequest;
  readonly config: ServerConfig;
  readonly tokenizer: Tokenizer;
  readonly headers: Readonly<Record<string, string>>;
  readonly retryForMs: number;
  readonly fetch: NonNullable<RequestBase['fetch']>;
}

/**
 * One reply of SGLang's own `/generate`: tokens in, tokens and log probabilities out. The prompt is rendered here, with the
 * tokenizer of the model, and the reply is read back by the model's family.
 */
export async function askGenerate(options: AskGenerateOptions): Promise<Completion> {
  const { asked, config, tokenizer } = options;
  const { tools } = asked;
  const { tokens: prompt } = await renderMessages({
    ...{ tokenizer, messages: asked.messages, tools, history: asked.history },
    addGenerationPrompt: true,
  });
  const reply = await request({
    url: config.base_url.replace(/\/v1\/?$/, ''),
    ...{ method: 'POST', path: '/generate', headers: options.headers, signal: asked.signal, fetch: options.fetch },
    ...{ timeoutMs: config.timeout * 1000, retryForMs: options.retryForMs },
    body: { input_ids: Array.from(prompt), sampling_params: toSampling(asked, prompt.length), return_logprob: true },
    parse: sglangGenerateReplySchema.parse,
  });
  const { meta_info: info } = reply;
  const sampled = info.output_token_logprobs ?? [];
  const tokens = Int32Array.from(sampled, ([, id]) => id);
  const { message } = await parseReply({ tokenizer, tokens, tools });
  return {
    text: reply.text,
    message,
    promptTokens: prompt,
    tokens,
    logprobs: Float32Array.from(sampled, ([logprob]) => logprob),
    finishReason: info.finish_reason?.type ?? 'stop',
    policyVersion: info.policy_version,
  };
}

function toSampling(asked: PolicyRequest, promptLength: number): Record<string, unknown> {
  const left = (asked.maxTotalTokens ?? Number.POSITIVE_INFINITY) - promptLength;
  return {
    max_new_tokens: Math.max(1, Math.min(asked.maxTokens, left)),
    temperature: asked.temperature,
    ...(asked.topP === undefined ? {} : { top_p: asked.topP }),
    ...(asked.stop === undefined || asked.stop.length === 0 ? {} : { stop: asked.stop }),
    ...(asked.seed === undefined ? {} : { sampling_seed: asked.seed }),
    ...asked.extraBody,
  };
}
