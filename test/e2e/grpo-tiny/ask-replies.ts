import { createInferenceClient } from '@lachesis/sdk';

export interface Replies {
  readonly policyVersion: number;
  readonly texts: readonly string[];
}

/** Asks inference as the environment does; the same shape, so that the engine compiles nothing for it. */
export async function askReplies(options: {
  inferenceUrl: string;
  token: string | undefined;
  prompt: string;
  samples: number;
  maxTokens: number;
  /** The same seed and weights give the same replies. */
  seed: number;
}): Promise<Replies> {
  const { inferenceUrl: url, token } = options;
  const client = createInferenceClient({ url, ...(token === undefined ? {} : { token }) });
  const [model] = (await client.models()).data;
  const reply = await client.chat({
    model: model?.id ?? 'default',
    messages: [{ role: 'user', content: options.prompt }],
    n: options.samples,
    max_tokens: options.maxTokens,
    temperature: 1,
    seed: options.seed,
    return_token_ids: true,
  });
  return {
    policyVersion: reply.policy_version ?? Number.NaN,
    texts: reply.choices.map(({ message }) => (typeof message.content === 'string' ? message.content : '')),
  };
}
