import type { ChatMessage } from '@lachesis/protocol';
import { loadTokenizer, renderMessages } from '@lachesis/sdk/render';
import { createTinkerClient } from '@lachesis/tinker';

export interface AskWeightsOptions {
  readonly engineUrl: string;
  readonly modelDirectory: string;
  /** `tinker://…/sampler_weights/…`. */
  readonly weightsPath: string;
  /** What was said before each reply. */
  readonly prompts: readonly (readonly ChatMessage[])[];
  /** Replies to each. */
  readonly samples: number;
  readonly maxTokens: number;
  readonly seed: number;
}

/**
 * Asks saved weights for replies, sampled as in training; by prompt, in its order. It goes to the engine itself: nothing of the
 * loop is between the weights and the figure.
 */
export async function askWeights(options: AskWeightsOptions): Promise<string[][]> {
  const { engineUrl, modelDirectory, weightsPath, prompts, samples, maxTokens, seed } = options;
  const tokenizer = await loadTokenizer({ directory: modelDirectory });
  await using service = await createTinkerClient({ baseUrl: engineUrl }).connect();
  const sampler = await service.createSampler({ modelPath: weightsPath, eosTokens: [...tokenizer.stopTokens] });
  const replies = await Promise.all(
    prompts.map(async (messages, index) => {
      const { tokens: prompt } = await renderMessages({
        tokenizer,
        messages,
        addGenerationPrompt: true,
      });
      const { sequences } = await sampler.sample({
        prompt,
        samples,
        params: { maxTokens, temperature: 1, seed: seed * 1_000 + index },
      });
      return Promise.all(
        sequences.map(({ tokens }) => tokenizer.decode([...tokens].filter((id) => !tokenizer.stopTokens.has(id)))),
      );
    }),
  );
  await sampler.close();
  return replies;
}
