import type { FindSpans, Span } from '../span.ts';

/** A form that begins with one of a few known beginnings of words. */
export interface WordRule {
  /** How it begins: two characters or more each, of which case does not matter. */
  readonly starts: readonly string[];
  /** Sticky. What it fits goes, or its last group where it has one. Its repetitions have ends, or end where it ends. */
  readonly pattern: RegExp;
  readonly kind: string;
  /** A second look at what would go. */
  readonly accept?: (value: string) => boolean;
}

/** A form that needs more than a pattern. */
export interface WordReader {
  readonly starts: readonly string[];
  /** Adds what it finds, and says where to go on; `at` when it is none. */
  read(text: string, at: number, spans: Span[], state: ReaderState): number;
}

/** Passes over the marks that an earlier pass left: none of their words is looked at. */
export const markReader: WordReader = {
  starts: ['[redacted:'],
  read(text, at) {
    MARK.lastIndex = at;
    return at + (MARK.exec(text)?.[0].length ?? 0);
  },
};

const MARK = /\[redacted:[\w-]{1,60}\]/y;

/** What a reader remembers of one text. */
export interface ReaderState {
  /** How far it has read: what begins before that is part of what it has seen. */
  readTo: number;
}

/**
 * Tries each rule where a word begins as the rule does. One loop over the characters and a table of first letters: most
 * words are passed over by one look, and what a rule has fitted is not looked at again.
 */
export function createWordFinder(rules: readonly (WordRule | WordReader)[]): FindSpans {
  const table: ((WordRule | WordReader)[] | undefined)[] = Array.from({ length: BUCKETS });
  for (const rule of rules) {
    // A beginning of two characters stands in the bucket of each third one.
    const starts = rule.starts.flatMap((start) => (start.length > 2 ? [start] : THIRDS.map((third) => start + third)));
    for (const key of new Set(starts.map((start) => keyOf(start, 0)))) (table[key] ??= []).push(rule);
  }
  const isBeginning = Uint8Array.from(table, (found) => (found === undefined ? 0 : 1));
  return (text) => {
    const spans: Span[] = [];
    const findings: Findings = { spans, state: { readTo: 0 } };
    let before = 0;
    for (let at = 0; at + 2 < text.length; at += 1) {
      const code = text.charCodeAt(at);
      const sort = code < 128 ? (SORTS[code] ?? OTHER) : OTHER;
      if (sort === OTHER || (sort === WORD && before === WORD)) {
        before = sort;
        continue;
      }
      before = sort;
      const key = keyOf(text, at);
      const found = isBeginning[key] === 1 ? table[key] : undefined;
      if (found === undefined) continue;
      const end = tryRules(found, text, at, findings);
      if (end > at + 1) {
        at = end - 1;
        before = SORTS[text.charCodeAt(at)] ?? OTHER;
      }
    }
    return spans;
  };
}

const BUCKETS = 16_384;

const keyOf = (text: string, at: number): number =>
  (lower(text.charCodeAt(at)) * 1_369 + lower(text.charCodeAt(at + 1)) * 37 + lower(text.charCodeAt(at + 2))) &
  (BUCKETS - 1);

const lower = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code);

/** What a third character can be: any that is written. */
const THIRDS = Array.from({ length: 95 }, (_, place) => String.fromCharCode(32 + place));

/** Letters and digits, which begin a word where none stands before them; signs that begin a form; the rest. */
const [OTHER, WORD, SIGN] = [0, 1, 2] as const;
const SORTS = new Uint8Array(128);
for (let code = 0; code < 128; code += 1) SORTS[code] = /[A-Za-z0-9]/.test(String.fromCharCode(code)) ? WORD : OTHER;
for (const sign of ['$', '{', '<', '[']) SORTS[sign.charCodeAt(0)] = SIGN;

interface Findings {
  spans: Span[];
  state: ReaderState;
}

/** Where to go on. */
function tryRules(rules: readonly (WordRule | WordReader)[], text: string, at: number, findings: Findings): number {
  const { spans, state } = findings;
  let end = at;
  for (const rule of rules) {
    end = Math.max(end, 'read' in rule ? rule.read(text, at, spans, state) : tryRule(rule, text, at, spans));
  }
  return end;
}

function tryRule({ pattern, kind, accept }: WordRule, text: string, at: number, spans: Span[]): number {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (match === null) return at;
  const value = match.findLast((part) => part !== undefined) ?? match[0];
  const start = at + match[0].lastIndexOf(value);
  // A run of such characters that is no secret holds none that begins later in it.
  if (accept !== undefined && !accept(value)) return start === at ? at + value.length : at;
  spans.push({ start, end: start + value.length, kind });
  return start + value.length;
}
