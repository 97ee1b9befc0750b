import { findAgain } from './finders/find-again.ts';
import { createEncodedFinder, createUnescapedFinder } from './finders/find-encoded.ts';
import { createExactFinder, SHORTEST_SECRET } from './finders/find-exact-values.ts';
import { findKnownForms } from './finders/find-known-forms.ts';
import { findNamedValues, isSecretValue } from './finders/find-named-values.ts';
import { createRandomTextFinder, type RandomTextOptions } from './finders/find-random-text.ts';
import { RedactionError } from './redaction-error.ts';
import { judgeName } from './finders/secret-names.ts';
import { markOf, mergeSpans, replaceSpans, WITHHELD_MARK, type FindSpans, type Span } from './span.ts';
import { findInWindows, windowsAround, type Window } from './windows.ts';

/** A text without its secrets, and how many were found. */
export interface RedactedText {
  readonly text: string;
  /** How many pieces were taken out. */
  readonly found: number;
  /** The text could not be checked in time: a mark stands in its place. */
  readonly isWithheld?: boolean | undefined;
}

/** Takes secrets out of texts and fields by the rules it was made with. `redact` walks a value with it. */
export interface Redactor {
  /** `isLate` is asked between the steps: what is not checked when the time is over is withheld. */
  redactText(text: string, isLate?: () => boolean): RedactedText;
  /** For ids: the same without the search for random text, since an id is one. */
  redactId(text: string, isLate?: () => boolean): RedactedText;
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
  /** Exact values, found also escaped, split, in addresses, in base64 and in hexadecimal digits; those of the environment are in `collectSecretValues`. */
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

const NEVER_LATE = (): boolean => false;

/**
 * Makes the redactor that replaces secrets in texts and fields: given values, names of fields, patterns, random text.
 */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const { secrets = [], names = [], patterns = [], entropy = {}, canaries = [] } = options;
  for (const value of [...secrets, ...canaries]) {
    if (value.length < SHORTEST_SECRET) throw new RedactionError({ length: value.length, shortest: SHORTEST_SECRET });
  }
  const ownNames = new Set(names.map(plainName));
  const exact = [
    ...(secrets.length === 0 ? [] : [createExactFinder(secrets, 'secret')]),
    ...(canaries.length === 0 ? [] : [createExactFinder(canaries, 'canary')]),
  ];
  const plain: FindSpans[] = [...exact, ...patterns.map(createPatternFinder), findKnownForms, findNamedValues];
  const inside: FindSpans = (text) => plain.flatMap((find) => find(text));
  const unescaped = createUnescapedFinder(inside);
  const random = entropy === false ? [] : [createRandomTextFinder(entropy)];
  const certain: Finders = {
    first: [...plain, createEncodedFinder(inside), unescaped],
    again: [...plain.slice(exact.length), unescaped],
  };
  const all: Finders = { first: [...certain.first, ...random], again: [...certain.again, ...random] };

  const remembered = new Map<string, RedactedText>();
  let characters = 0;
  const redactText = (text: string, isLate = NEVER_LATE): RedactedText => {
    if (text.length < SHORTEST_TEXT) return { text, found: 0 };
    if (text.length < SHORTEST_REMEMBERED) return replaceFound(text, all, isLate);
    const known = remembered.get(text);
    if (known !== undefined) return known;
    const redacted = DATA_URL.test(text.slice(0, 130)) ? { text, found: 0 } : replaceFound(text, all, isLate);
    if (redacted.isWithheld === true) return redacted;
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
    redactId: (text, isLate = NEVER_LATE) =>
      text.length < SHORTEST_TEXT ? { text, found: 0 } : replaceFound(text, certain, isLate),
    redactField(name, value) {
      const verdict = ownNames.size > 0 && ownNames.has(plainName(name)) ? 'secret' : judgeName(name);
      if (verdict === 'plain' || !isSecretValue(verdict, value)) return undefined;
      return markOf('named');
    },
  };
}

interface Finders {
  readonly first: readonly FindSpans[];
  /** Those that may find more once something is gone: what a mark stands beside, and what it parts. */
  readonly again: readonly FindSpans[];
}

/** A secret may come to light when the one around it is gone; more layers than this are nobody's. */
const MOST_PASSES = 6;

/** Names of fields, roles and ids: a look costs less than the mark, and a record without them would be none. */
const ALWAYS_CHECKED = 64;

function replaceFound(text: string, finders: Finders, isLate: () => boolean): RedactedText {
  let kept = text;
  let found = 0;
  /** Around the marks that the last pass left; the first looks at everything. */
  let windows: Window[] | undefined;
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const first: Span[] = [];
    for (const find of windows === undefined ? finders.first : finders.again) {
      if (text.length > ALWAYS_CHECKED && isLate()) return { text: WITHHELD_MARK, found, isWithheld: true };
      const spans = windows === undefined ? find(kept, first) : findInWindows(kept, windows, find);
      for (const span of spans) if (!isInsideMark(kept, span.start, span.end)) first.push(span);
    }
    if (first.length === 0) break;
    const spans = mergeSpans([...first, ...findAgain(kept, first)]);
    kept = replaceSpans(kept, spans);
    windows = windowsAround(kept, placesAfter(spans));
    found += spans.length;
  }
  return { text: kept, found };
}

/** Where the marks of spans are once they stand in their place. */
function placesAfter(spans: readonly Span[]): number[] {
  let moved = 0;
  return spans.map(({ start, end, kind }) => {
    const place = start + moved;
    moved += markOf(kind).length - (end - start);
    return place;
  });
}

/** A rule may fit the mark an earlier pass left, such as the words `redacted:password`. */
const isInsideMark = (text: string, start: number, end: number): boolean =>
  text.startsWith('[redacted:', start) ||
  (text.startsWith('redacted:', start + (text[start] === '[' ? 1 : 0)) &&
    /^\[?redacted:[\w-]+\]?$/.test(text.slice(start, end)));

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
