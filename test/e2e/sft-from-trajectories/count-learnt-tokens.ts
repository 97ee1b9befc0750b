import { loadTokenizer } from '@lachesis/sdk/render';

import { answer, questions } from './corpus.ts';

/** Tokens of all replies to learn, with the one that ends each: what the mask has to leave, counted without it. */
export async function countLearntTokens({ modelDirectory }: { modelDirectory: string }): Promise<number> {
  const tokenizer = await loadTokenizer({ directory: modelDirectory });
  let tokens = 0;
  for (const { text, use } of questions) {
    if (use === 'train') tokens += (await tokenizer.encode(answer(text))).length + 1;
  }
  return tokens;
}
