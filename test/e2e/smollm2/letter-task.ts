import { createRandom } from '@lachesis/sdk/environment';

export interface LetterItem {
  readonly prompt: string;
  /** What the words have to begin with. */
  readonly letter: string;
}

/** Words of one token each, so that prompts are of one length and the engine compiles once. */
const VERBS = ['Write', 'Give', 'List', 'Name', 'Send', 'Tell'] as const;
export const LETTERS = ['b', 'c', 'm', 's'] as const;
export const REPLY_TOKENS = 12;
/** A reply of one right word is no way to the full reward. */
const WANTED_WORDS = 4;

/** For each letter one verb is held out: which is drawn by the seed. */
export function makeLetterTask(seed: number): { train: LetterItem[]; heldOut: LetterItem[] } {
  const random = createRandom('letter-words', seed);
  const byLetter = LETTERS.map((letter) => {
    const [first, ...rest] = random
      .shuffle([...VERBS])
      .map((verb) => ({ prompt: `${verb} words that start with ${letter}.`, letter }));
    return { heldOut: first === undefined ? [] : [first], train: rest };
  });
  return {
    train: byLetter.flatMap(({ train }) => train),
    heldOut: byLetter.flatMap(({ heldOut }) => heldOut),
  };
}

/** The share of the words that begin with the letter, of at least so many words. */
export function scoreWords(reply: string, letter: string): number {
  const words = reply.toLowerCase().match(/[a-z]+/g) ?? [];
  return words.filter((word) => word.startsWith(letter)).length / Math.max(WANTED_WORDS, words.length);
}
