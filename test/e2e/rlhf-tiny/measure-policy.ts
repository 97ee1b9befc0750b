import { loadTokenizer, renderMessages } from '@lachesis/sdk/render';
import { createTinkerClient } from '@lachesis/tinker';
import type { Datum } from '@lachesis/tinker';

import { REPLY_TOKENS, scoreDigits } from '../../../packages/environments/src/digits/digits.ts';
import { EVALUATION_PROMPTS } from '../../../packages/environments/src/digits/prompts.ts';
import { WANTED } from '../reward-tiny/list-pairs.ts';

export interface PolicyMeasure {
  /** What the reward model stands for: the share of the wanted digit, as no model is asked. */
  readonly trueReward: number;
  /** Nats a reply is away from the start weights. */
  readonly kl: number;
  readonly replies: readonly string[];
}

/** As the environment asks: the engine compiles nothing for it. */
const SAMPLES = 16;

/**
 * Looks at weights from outside, with prompts that were not trained on: samples replies, and asks the start weights how likely
 * they find them. It shares no code with the trainer's own measure.
 */
export async function measurePolicy(options: {
  engineUrl: string;
  modelDirectory: string;
  weightsPath: string;
  startPath: string;
  seed: number;
}): Promise<PolicyMeasure> {
  const { engineUrl, modelDirectory, weightsPath, startPath, seed } = options;
  const tokenizer = await loadTokenizer({ directory: modelDirectory });
  await using service = await createTinkerClient({ baseUrl: engineUrl }).connect();
  const sampler = await service.createSampler({ modelPath: weightsPath, eosTokens: [...tokenizer.stopTokens] });
  const replies: string[] = [];
  const datums: Datum[] = [];
  const own: number[] = [];
  for (const content of EVALUATION_PROMPTS) {
    const { tokens: prompt } = await renderMessages({
      tokenizer,
      messages: [{ role: 'user', content }],
      addGenerationPrompt: true,
    });
    const { sequences } = await sampler.sample({
      prompt,
      samples: SAMPLES,
      params: { maxTokens: REPLY_TOKENS, temperature: 1, seed },
    });
    for (const { tokens, logprobs } of sequences) {
      replies.push(await tokenizer.decode(tokens));
      own.push((logprobs ?? new Float32Array()).reduce((sum, logprob) => sum + logprob, 0));
      const whole = Int32Array.of(...prompt, ...tokens);
      const weights = new Float32Array(whole.length - 1).fill(1, prompt.length - 1);
      datums.push({ tokens: whole.slice(0, -1), inputs: { target_tokens: whole.slice(1), weights } });
    }
  }
  await sampler.close();
  const start = await service.createTrainingFromState(startPath, { optimizer: false });
  const { logprobs } = await start.forward(datums);
  const distances = datums.map(({ inputs }, index) => {
    const weights = inputs['weights'] as Float32Array;
    const reference = logprobs[index]!.reduce((sum, logprob, at) => sum + weights[at]! * logprob, 0);
    return own[index]! - reference;
  });
  const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
  return {
    trueReward: mean(replies.map((reply) => scoreDigits(reply, WANTED, REPLY_TOKENS))),
    kl: mean(distances),
    replies,
  };
}
