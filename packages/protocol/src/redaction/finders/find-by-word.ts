import { createPieceReader, SHORTEST_RUN } from '../pieces.ts';
import type { FindSpans, Span } from '../span.ts';
import { createBeginnings, type Beginnings } from './beginnings.ts';

/** A form that begins with one of a few known beginnings of words. */
export interface WordRule {
  /** How it begins: two characters or more each, of which case does not matter. A blank is any. What begins otherwise is not tried. */
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
  const beginnings = createBeginnings(
    rules.map((rule) => ({ starts: rule.starts, isExact: 'pattern' in rule && !rule.pattern.ignoreCase })),
  );
  const groups = beginnings.groups.map((owners) => owners.flatMap((owner) => rules[owner] ?? []));
  return (text) => {
    const findings: Findings = { spans: [], state: { readTo: 0 } };
    const words = findWords(text, beginnings);
    let from = 0;
    for (let place = 0; place < words.length; place += 2) {
      const at = words[place] ?? 0;
      if (at < from) continue;
      const end = tryRules(groups[words[place + 1] ?? 0] ?? [], text, at, findings);
      if (end > at + 1) from = end;
    }
    return findings.spans;
  };
}

/** What a third character can be: any that is written. */
const isPrinted = (code: number): boolean => code > 31 && code < 127;

/**
 * Letters and digits, which begin a word where none stands before them; signs that begin a form; what joins words to one
 * piece; the rest.
 */
const [OTHER, WORD, SIGN, JOINT] = [0, 1, 2, 3] as const;
const SORTS = new Uint8Array(128);
for (let code = 0; code < 128; code += 1) SORTS[code] = /[A-Za-z0-9]/.test(String.fromCharCode(code)) ? WORD : OTHER;
for (const sign of ['$', '{', '<', '[']) SORTS[sign.charCodeAt(0)] = SIGN;
for (const joint of ['+', '/', '_', '-']) SORTS[joint.charCodeAt(0)] = JOINT;

/** A mark that an earlier pass left. */
const MARK_START = '[redacted:';
const MARK = /\[redacted:[\w-]{1,60}\]/y;
const [BRACKET, SMALL_R] = [91, 114] as const;

/**
 * Where a word begins as a rule does, each place followed by the group of rules. The pieces of the text are read on the
 * way, since a loop of their own would cost as much again.
 */
function findWords(text: string, { mayBegin, find }: Beginnings): number[] {
  const words: number[] = [];
  const pieces = createPieceReader(text);
  const { length } = text;
  let [before, start] = [OTHER as number, 0];
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at);
    const sort = code < 128 ? (SORTS[code] ?? OTHER) : OTHER;
    if (sort === WORD) {
      if (before === WORD) continue;
      before = WORD;
    } else {
      before = sort;
      if (sort === JOINT) continue;
      if (at - start >= SHORTEST_RUN) pieces.add(start, at);
      start = at + 1;
      if (sort === OTHER) continue;
    }
    const next = text.charCodeAt(at + 1);
    if (code === BRACKET && next === SMALL_R) {
      MARK.lastIndex = at;
      if (MARK.test(text)) {
        // None of its words is looked at. What it is called is a piece where that is long enough.
        start = at + MARK_START.length;
        at = MARK.lastIndex - 1;
        if (at - start >= SHORTEST_RUN) pieces.add(start, at);
        start = at + 1;
        before = OTHER;
      }
      continue;
    }
    if (!(next < 128) || mayBegin[code * 128 + next] !== 1 || !isPrinted(text.charCodeAt(at + 2))) continue;
    const group = find(text, at);
    if (group !== 0) words.push(at, group);
  }
  if (length - start >= SHORTEST_RUN) pieces.add(start, length);
  pieces.end();
  return words;
}

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
