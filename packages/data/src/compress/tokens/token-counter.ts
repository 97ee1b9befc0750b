import type { Tokenizer } from '@lachesis/sdk/render';
import { createSlots } from '@lachesis/protocol';
import { countCodePoints } from './code-points.ts';

/** Says how many tokens a text has; its name is kept with what it counted. */
export interface TokenCounter {
  /** What counts, for reports and provenance. */
  readonly name: string;
  /** A text may have been counted before: the first turns of a file are often the same. */
  count(text: string): number | Promise<number>;
}

/** The name under which the estimate is asked for and reported. */
export const CHARACTER_COUNTER = 'characters/4';

/** How many long texts are remembered, and from what length on a text is worth it. */
const REMEMBERED_TEXTS = 64;
const WORTH_REMEMBERING = 2_000;
/** Texts encoded at once: more than the threads there are, few enough that what they give does not pile up. */
const TEXTS_AT_ONCE = 8;

/** Four characters a token: the estimate for when there is no tokenizer. */
export function createCharacterCounter(): TokenCounter {
  return { name: CHARACTER_COUNTER, count: estimate };
}

const estimate = (text: string): number => Math.floor(countCodePoints(text) / 4);

export interface TokenizerCounterOptions {
  readonly name: string;
  /** Gives the same numbers without encoding every text anew. */
  readonly countWords?: ((text: string) => number | Promise<number>) | undefined;
}

/** Counts as `len(tokenizer.encode(text))` of transformers does, tokens that the tokenizer adds included. */
export function createTokenizerCounter(
  tokenizer: Pick<Tokenizer, 'encode'>,
  { name, countWords }: TokenizerCounterOptions,
): TokenCounter {
  const remembered = new Map<string, number | Promise<number>>();
  const slots = createSlots(TEXTS_AT_ONCE);
  const encode = async (text: string): Promise<number> => {
    const release = await slots.take();
    try {
      return countWords === undefined
        ? (await tokenizer.encode(text, { addSpecialTokens: true })).length
        : await countWords(text);
    } catch {
      // A text that the tokenizer refuses is estimated, as the original does; one row must not end the file.
      return estimate(text);
    } finally {
      release();
    }
  };
  return {
    name,
    count(text) {
      if (text === '') return 0;
      if (text.length < WORTH_REMEMBERING) return encode(text);
      const known = remembered.get(text) ?? encode(text);
      // The map keeps its order of entry, so the one that was not asked for longest is the first.
      remembered.delete(text);
      remembered.set(text, known);
      if (remembered.size > REMEMBERED_TEXTS) remembered.delete(remembered.keys().next().value ?? '');
      return known;
    },
  };
}
