import { loadTokenizer, renderMessages } from '@lachesis/sdk/render';
import { createTinkerClient } from '@lachesis/tinker';

import { REPLY_TOKENS, scoreReply } from './describe-task.ts';
import type { Task } from './tasks.ts';

/** Replies to each combination: with six combinations chance moves their mean by 0.02. */
const SAMPLES = 64;

/** By combination, the rewards of its replies. */
export type HeldOut = readonly (readonly number[])[];

/**
 * Asks saved weights for replies to the held-out combinations, sampled as in training. It goes to the engine itself: nothing
 * of the loop is between the weights and the figure.
 */
export async function measureHeldOut(options: {
  engineUrl: string;
  modelDirectory: string;
  /** `tinker://…/sampler_weights/…`. */
  weightsPath: string;
  task: Task;
  seed: number;
}): Promise<HeldOut> {
  const { engineUrl, modelDirectory, weightsPath, task, seed } = options;
  const tokenizer = await loadTokenizer({ directory: modelDirectory });
  await using service = await createTinkerClient({ baseUrl: engineUrl }).connect();
  const sampler = await service.createSampler({ modelPath: weightsPath, eosTokens: [...tokenizer.stopTokens] });
  const rewards = await Promise.all(
    task.heldOut.map(async (item, index) => {
      const { tokens: prompt } = await renderMessages({
        tokenizer,
        messages: [{ role: 'user', content: item.prompt }],
        addGenerationPrompt: true,
      });
      const { sequences } = await sampler.sample({
        prompt,
        samples: SAMPLES,
        params: { maxTokens: REPLY_TOKENS, temperature: 1, seed: seed * 1_000 + index },
      });
      return Promise.all(
        sequences.map(async ({ tokens }) =>
          scoreReply(item, await tokenizer.decode([...tokens].filter((id) => !tokenizer.stopTokens.has(id)))),
        ),
      );
    }),
  );
  await sampler.close();
  return rewards;
}
