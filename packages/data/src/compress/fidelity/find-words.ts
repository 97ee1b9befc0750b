/** Of lower-case text. What is not ASCII counts as letters: asking Unicode for each would take most of the time of a row. */
const WORD = /[a-z0-9_./\-\u0080-\uffff]{4,}/g;
const SHORTEST_WORD = 4;
const FILTER_SIZE = 4_096;
/** In no word. */
const END = 0x0a;

const IN_WORD = new Uint8Array(128);
for (const character of 'abcdefghijklmnopqrstuvwxyz0123456789_./-') IN_WORD[character.charCodeAt(0)] = 1;

/** The words of a text, in lower case. */
export const listWords = (text: string): readonly string[] => text.toLowerCase().match(WORD) ?? [];

/**
 * Which of the wanted words stand in a text. A row has tens of thousands of words and a few hundred are asked about, so the
 * others are told apart by a number and never become strings.
 */
export function findWords(text: string, wanted: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  /** How many of the words with a number are still to be found. */
  const missing = new Uint16Array(FILTER_SIZE);
  for (const word of wanted) missing[hashWord(word)]! += 1;
  const lower = text.toLowerCase();
  const { length } = lower;
  let start = 0;
  let hash = 0;
  for (let at = 0; at <= length && found.size < wanted.size; at += 1) {
    const code = at === length ? END : lower.charCodeAt(at);
    if (code >= 128 || IN_WORD[code] === 1) {
      hash = (Math.imul(hash, 31) + code) | 0;
      continue;
    }
    if (at - start >= SHORTEST_WORD && missing[hash & (FILTER_SIZE - 1)]! > 0) {
      const word = lower.slice(start, at);
      if (wanted.has(word) && !found.has(word)) {
        found.add(word);
        missing[hash & (FILTER_SIZE - 1)]! -= 1;
      }
    }
    start = at + 1;
    hash = 0;
  }
  return found;
}

function hashWord(word: string): number {
  let hash = 0;
  for (let at = 0; at < word.length; at += 1) hash = (Math.imul(hash, 31) + word.charCodeAt(at)) | 0;
  return hash & (FILTER_SIZE - 1);
}
