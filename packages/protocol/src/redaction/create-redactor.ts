import { createExactFinder, SHORTEST_SECRET } from './find-exact-values.ts';
import { findKnownForms } from './find-known-forms.ts';
import { findNamedValues, isSecretValue } from './find-named-values.ts';
import { createRandomTextFinder, type RandomTextOptions } from './find-random-text.ts';
import { RedactionError } from './redaction-error.ts';
import { judgeName } from './secret-names.ts';
import { markOf, mergeSpans, replaceSpans, type FindSpans, type Span } from './span.ts';

export interface RedactedText {
  readonly text: string;
  /** How many pieces were taken out. */
  readonly found: number;
}

/** The rules, ready to use. `redact` walks a value with it. */
export interface Redactor {
  redactText(text: string): RedactedText;
  /** For ids: the same without the search for random text, since an id is one. */
  redactId(text: string): RedactedText;
  /** What to write instead of the value of a field, or undefined to look into it. */
  redactField(name: string, value: string): string | undefined;
}

/** A rule of the user's own: each match goes, or its first group where it has one. */
export interface RedactionPattern {
  /** Stands in the mark, such as `customer-number`. */
  readonly name: string;
  readonly pattern: RegExp;
}

export interface RedactorOptions {
  /** Exact values, found also escaped, in addresses and in base64; those of the environment are in `collectSecretValues`. */
  secrets?: readonly string[] | undefined;
  /** Names of fields whose value is secret, besides those that are known. */
  names?: readonly string[] | undefined;
  patterns?: readonly RedactionPattern[] | undefined;
  /** What random text is; false leaves it in. */
  entropy?: RandomTextOptions | false | undefined;
  /** Values planted to find out whether redaction works; taken out and counted like secrets. */
  canaries?: readonly string[] | undefined;
}

/** Nothing shorter holds a secret that a rule finds. */
const SHORTEST_TEXT = 6;

/** Images and files travel as data URLs; their bytes are not read as text. */
const DATA_URL = /^data:[\w.+/-]{3,100};base64,/;

/** A conversation is sent again with each call: what was looked at is remembered, up to so many characters. */
const REMEMBERED_CHARACTERS = 4_000_000;
const SHORTEST_REMEMBERED = 200;

export function createRedactor(options: RedactorOptions = {}): Redactor {
  const { secrets = [], names = [], patterns = [], entropy = {}, canaries = [] } = options;
  for (const value of [...secrets, ...canaries]) {
    if (value.length < SHORTEST_SECRET) throw new RedactionError({ length: value.length, shortest: SHORTEST_SECRET });
  }
  const ownNames = new Set(names.map(plainName));
  const certain: FindSpans[] = [
    ...(secrets.length === 0 ? [] : [createExactFinder(secrets, 'secret')]),
    ...(canaries.length === 0 ? [] : [createExactFinder(canaries, 'canary')]),
    ...patterns.map(createPatternFinder),
    findKnownForms,
    findNamedValues,
  ];
  const findCertain: FindSpans = (text) => certain.flatMap((find) => find(text));
  const findRandom = entropy === false ? undefined : createRandomTextFinder(entropy, findCertain);
  const findAll: FindSpans =
    findRandom === undefined ? findCertain : (text) => [...findCertain(text), ...findRandom(text)];

  const remembered = new Map<string, RedactedText>();
  let characters = 0;
  const redactText = (text: string): RedactedText => {
    if (text.length < SHORTEST_TEXT) return { text, found: 0 };
    if (text.length < SHORTEST_REMEMBERED) return replaceFound(text, findAll);
    const known = remembered.get(text);
    if (known !== undefined) return known;
    const redacted = DATA_URL.test(text.slice(0, 130)) ? { text, found: 0 } : replaceFound(text, findAll);
    if (characters + text.length > REMEMBERED_CHARACTERS) {
      remembered.clear();
      characters = 0;
    }
    if (text.length < REMEMBERED_CHARACTERS / 8) {
      remembered.set(text, redacted);
      characters += text.length;
    }
    return redacted;
  };
  return {
    redactText,
    redactId: (text) => (text.length < SHORTEST_TEXT ? { text, found: 0 } : replaceFound(text, findCertain)),
    redactField(name, value) {
      const verdict = ownNames.size > 0 && ownNames.has(plainName(name)) ? 'secret' : judgeName(name);
      if (verdict === 'plain' || !isSecretValue(verdict, value)) return undefined;
      return markOf('named');
    },
  };
}

/** A secret may come to light when the one around it is gone; more layers than this are nobody's. */
const MOST_PASSES = 6;

/** Shorter values, and words, may stand elsewhere by chance. */
const SHORTEST_AGAIN = 8;
const LONGEST_AGAIN = 500;

/** What is a secret beside one name is a secret everywhere in the text: beside another name, or in a sentence. */
function findAgain(text: string, spans: readonly Span[]): Span[] {
  const found = new Map(spans.map(({ start, end, kind }) => [text.slice(start, end), kind]));
  return [...found].flatMap(([value, kind]) => {
    const again: Span[] = [];
    if (value.length < SHORTEST_AGAIN || value.length > LONGEST_AGAIN || !/\d/.test(value)) return again;
    for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) {
      again.push({ start: at, end: at + value.length, kind });
    }
    return again;
  });
}

function replaceFound(text: string, find: FindSpans): RedactedText {
  let kept = text;
  let found = 0;
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const before = kept;
    const first = find(before).filter(({ start, end }) => !isInsideMark(before, start, end));
    if (first.length === 0) break;
    const spans = mergeSpans([...first, ...findAgain(before, first)]);
    kept = replaceSpans(before, spans);
    found += spans.length;
  }
  return { text: kept, found };
}

/** A rule may fit the mark an earlier pass left, such as the words `redacted:password`. */
const isInsideMark = (text: string, start: number, end: number): boolean =>
  /^\[?redacted:[\w-]+\]?$/.test(text.slice(start, end)) || text.startsWith('[redacted:', start);

function createPatternFinder({ name, pattern }: RedactionPattern): FindSpans {
  const every = new RegExp(pattern.source, pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`);
  return (text) =>
    [...text.matchAll(every)]
      .filter((match) => match[0].length > 0)
      .map((match) => {
        const value = match[1] ?? match[0];
        const start = match.index + match[0].indexOf(value);
        return { start, end: start + value.length, kind: name };
      });
}

const plainName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
