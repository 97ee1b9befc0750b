import { loadTokenizer, renderTraining } from '@lachesis/sdk/render';
import type { Datum } from '@lachesis/tinker';

export interface Corpus {
  /** As many as the engine trains at once, none longer than its shortest padding: one compiled program serves them all. */
  readonly datums: readonly Datum[];
  /** Tokens to learn, over all of them. */
  readonly learnedTokens: number;
}

const COLOURS = ['red', 'blue', 'green', 'black', 'white', 'gold', 'pink', 'grey'];

/** Sixteen questions with answers that cannot be guessed, as the model's own template renders them. */
export async function loadCorpus({ modelDirectory }: { modelDirectory: string }): Promise<Corpus> {
  const tokenizer = await loadTokenizer({ directory: modelDirectory });
  const colour = (index: number): string => COLOURS[index % COLOURS.length]!;
  const pairs = COLOURS.flatMap((name, index) => [
    [`What comes after ${name}?`, `${colour(index + 1)} and ${colour(index + 3)}`] as const,
    [`What is before ${name}?`, `${colour(index + 7)}.`] as const,
  ]);
  const rendered = await Promise.all(
    pairs.map(([question, answer]) =>
      renderTraining({
        tokenizer,
        messages: [
          { role: 'user', content: question },
          { role: 'assistant', content: answer },
        ],
        trainOn: 'last-assistant',
      }),
    ),
  );
  const datums = rendered.map(({ tokens, mask }) => ({
    tokens: tokens.slice(0, -1),
    inputs: { target_tokens: tokens.slice(1), weights: Float32Array.from(mask.subarray(1)) },
  }));
  const learnedTokens = datums.reduce((sum, { inputs }) => sum + inputs.weights.reduce((a, b) => a + b, 0), 0);
  return { datums, learnedTokens };
}
