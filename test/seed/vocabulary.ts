import { MARKERS, writeByteModel } from '../../packages/server/src/services/models/byte-model.fixture.ts';

/** Tokens that are words. What is met for the first time becomes one. */
export interface Vocabulary {
  encode(text: string): number[];
  /** The folder of a tokenizer that gives the text back. */
  write(directory: string): Promise<void>;
}

/** Behind bytes and markers. */
const FIRST_WORD = 512;
const MARKER = new RegExp(`(${MARKERS.map((text) => RegExp.escape(text)).join('|')})`);
/** As tokenizers of today cut: a blank belongs to the word behind it, and a digit is alone. */
const PIECE = /\d| ?[\p{L}']+| ?[^\s\d\p{L}]+|\s+/gu;

export function createVocabulary(): Vocabulary {
  const words = new Map<string, number>();
  const numberOf = (word: string): number => {
    const [byte = 0, ...more] = Buffer.from(word);
    if (more.length === 0) return byte;
    const known = words.get(word) ?? FIRST_WORD + words.size;
    words.set(word, known);
    return known;
  };
  return {
    encode: (text) =>
      text.split(MARKER).flatMap((part) => {
        const marker = MARKERS.indexOf(part);
        return marker === -1 ? (part.match(PIECE) ?? []).map(numberOf) : [256 + marker];
      }),
    write: async (directory) => void (await writeByteModel({ directory, words })),
  };
}
