import { loadTokenizer, renderMessages } from '@lachesis/sdk/render';
import { createTinkerClient } from '@lachesis/tinker';

import { readStyle, toPrompt, wantedStyle, type Question } from './corpus.ts';

export interface SampledStyles {
  /** Share of the replies in the style that is wanted of their question. */
  readonly wanted: number;
  readonly replies: readonly string[];
}

/** What weights write to questions, sampled at temperature 1. */
export async function sampleStyles(options: {
  engineUrl: string;
  modelDirectory: string;
  weightsPath: string;
  questions: readonly Question[];
  samples: number;
  seed: number;
}): Promise<SampledStyles> {
  const { engineUrl, modelDirectory, weightsPath, questions, samples, seed } = options;
  const tokenizer = await loadTokenizer({ directory: modelDirectory });
  await using service = await createTinkerClient({ baseUrl: engineUrl }).connect();
  const sampler = await service.createSampler({
    modelPath: weightsPath,
    eosTokens: [...tokenizer.stopTokens],
  });
  const replies = await Promise.all(
    questions.map(async (question, index) => {
      const { tokens } = await renderMessages({
        tokenizer,
        messages: [toPrompt(question)],
        addGenerationPrompt: true,
      });
      const { sequences } = await sampler.sample({
        prompt: tokens,
        samples,
        params: { maxTokens: 8, temperature: 1, seed: seed * 1000 + index },
      });
      return Promise.all(sequences.map(async ({ tokens: own }) => ({ question, text: await tokenizer.decode(own) })));
    }),
  );
  const all = replies.flat();
  const wanted = all.filter(({ question, text }) => readStyle(text) === wantedStyle(question)).length;
  return { wanted: wanted / all.length, replies: all.map(({ text }) => text) };
}
