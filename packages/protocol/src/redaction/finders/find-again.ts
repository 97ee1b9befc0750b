import { extendSpans, type Span } from '../span.ts';
import { createBeginning, createValueAutomaton } from './value-automaton.ts';

/** Shorter values, and words, may stand elsewhere by chance. */
const SHORTEST = 8;
const LONGEST = 500;

/** Symbols of values that are looked for at any place; what comes after them is looked for as whole words. */
const MOST_SYMBOLS = 16_000;

/** Kinds that say themselves what they are, wherever they stand. */
const SELF_EVIDENT = new Set([
  'api-key',
  'jwt',
  'private-key',
  'random',
  'encoded',
  'canary',
  'secret',
  'password-hash',
]);

/** What separates words for that. */
const WORD = /[\w+/=.~@!%-]{8,500}/g;

/**
 * What is a secret beside one name is a secret everywhere in the text: beside another name, or in a sentence. One pass
 * over the text, however many were found.
 */
export function findAgain(text: string, found: readonly Span[]): Span[] {
  const values = new Map<string, string>();
  for (const { start, end, kind } of found) {
    if (end - start < SHORTEST || end - start > LONGEST || SELF_EVIDENT.has(kind)) continue;
    const value = text.slice(start, end);
    if (/\d/.test(value)) values.set(value, kind);
  }
  if (values.size === 0) return [];
  const anywhere: string[] = [];
  let symbols = 0;
  for (const value of values.keys()) {
    symbols += value.length;
    if (symbols > MOST_SYMBOLS) break;
    anywhere.push(value);
  }
  const again = findAnywhere(text, anywhere, values);
  return anywhere.length === values.size ? again : [...again, ...findWords(text, values)];
}

function findAnywhere(text: string, needles: readonly string[], kinds: ReadonlyMap<string, string>): Span[] {
  const { table, classes, classOfAscii, classOfOther, isPassed, lengths } = createValueAutomaton(needles);
  const beginning = createBeginning(needles);
  const spans: Span[] = [];
  let state = 0;
  for (let at = 0; at < text.length; at += 1) {
    let symbol = text.charCodeAt(at);
    if (state === 0 && symbol < 128 && isPassed[symbol] === 1) {
      if (beginning === undefined) continue;
      beginning.lastIndex = at + 1;
      if (!beginning.test(text)) break;
      at = beginning.lastIndex - 1;
      symbol = text.charCodeAt(at);
    }
    const place = symbol < 128 ? (classOfAscii[symbol] ?? 0) : classOfOther(symbol);
    state = place === 0 ? 0 : (table[state * classes + place] ?? 0);
    const length = state === 0 ? 0 : (lengths[state] ?? 0);
    if (length === 0) continue;
    const start = at + 1 - length;
    extendSpans(spans, start, at + 1, kinds.get(text.slice(start, at + 1)) ?? 'named');
  }
  return spans;
}

function findWords(text: string, kinds: ReadonlyMap<string, string>): Span[] {
  const spans: Span[] = [];
  const lengths = new Set([...kinds.keys()].map((value) => value.length));
  WORD.lastIndex = 0;
  for (let match = WORD.exec(text); match !== null; match = WORD.exec(text)) {
    const kind = lengths.has(match[0].length) ? kinds.get(match[0]) : undefined;
    if (kind !== undefined) spans.push({ start: match.index, end: match.index + match[0].length, kind });
  }
  return spans;
}
