import { isSpecial, NOTHING, readSpecial, toSymbols } from './read-symbols.ts';
import { extendSpans, type FindSpans, type Span } from '../span.ts';
import { createBeginning, createValueAutomaton, type ValueAutomaton } from './value-automaton.ts';

/** Below this an exact value would take ordinary words out of every text. */
export const SHORTEST_SECRET = 4;

/** What is longer is looked for in pieces; a whole key file in a variable has a few thousand characters. */
const LONGEST_FORM = 200;
const PIECE = 100;
const LONGEST_VALUE = 20_000;

/** Entries of the table that finds them: 32 MB. Beyond it values are found as they are, and not encoded. */
const MOST_SYMBOLS = 80_000;

/**
 * Finds values that somebody named, in the forms they travel in: as they are, escaped, in an address, split by line
 * breaks, quotes or characters nobody sees, in base64 and in hexadecimal digits.
 */
export function createExactFinder(values: readonly string[], kind: string): FindSpans {
  const plain = values.flatMap((value) => plainForms(value.slice(0, LONGEST_VALUE)));
  const encoded = values.flatMap((value) => encodedForms(value.slice(0, LONGEST_VALUE)));
  const all = cutForms([...plain, ...encoded]);
  const isTooMuch = all.reduce((sum, form) => sum + form.length, 0) > MOST_SYMBOLS;
  const forms = isTooMuch ? cutForms(plain) : all;
  const automaton = createValueAutomaton(forms);
  const beginning = createFormBeginning(forms);
  const isPassed = automaton.isPassed.map((passed, code) => (mustStop(code, beginning) ? 0 : passed));
  return (text) => findSymbols(text, { automaton, isPassed, beginning, kind });
}

/** What a joint of quoted pieces and a line break are made of, which are passed over as a whole. */
const JOINT_SYMBOL = /[\s"'`+.&\\]/;

/** After the first symbol may stand what is not simply itself. */
const SPECIAL = '\\n\\r"%\'\\\\`\\u00ad\\u180e\\u200b-\\u200f\\u2060-\\u2064\\ufeff';

/**
 * Where a form may begin: with its first two symbols, or with an escape. Quotes and line breaks need no look where none
 * has begun, unless a form begins with what stands in a joint: there it would begin a symbol too early.
 */
function createFormBeginning(forms: readonly string[]): RegExp | undefined {
  if (forms.some((form) => JOINT_SYMBOL.test(form[0] ?? ''))) return undefined;
  const plain = createBeginning(forms, SPECIAL);
  return plain === undefined ? undefined : new RegExp(`[%\\\\]|${plain.source}`, 'g');
}

/** What is not simply itself is looked at, or escapes alone where that is enough. */
const mustStop = (code: number, beginning: RegExp | undefined): boolean =>
  beginning === undefined ? isSpecial(code) : code === PERCENT || code === BACKSLASH;

const [PERCENT, BACKSLASH] = [37, 92] as const;

interface Search {
  automaton: ValueAutomaton;
  /** One for the ASCII characters that begin no form. */
  isPassed: Uint8Array;
  beginning: RegExp | undefined;
  kind: string;
}

function findSymbols(text: string, { automaton, isPassed, beginning, kind }: Search): Span[] {
  const { table, classes, classOfAscii, classOfOther, lengths, longest } = automaton;
  const spans: Span[] = [];
  /** Where the last symbols began, round and round. */
  const starts = new Int32Array(longest);
  let [state, count] = [0, 0];
  for (let at = 0; at < text.length;) {
    let symbol = text.charCodeAt(at);
    if (state === 0 && symbol < 128 && isPassed[symbol] === 1) {
      at += 1;
      if (beginning === undefined) continue;
      beginning.lastIndex = at;
      if (!beginning.test(text)) break;
      at = beginning.lastIndex - 1;
      symbol = text.charCodeAt(at);
    }
    const start = at;
    at += 1;
    if (isSpecial(symbol)) {
      if (symbol > 127) continue;
      [symbol, at] = readSpecial(text, start, symbol);
      if (symbol === NOTHING) continue;
    }
    const place = symbol < 128 ? (classOfAscii[symbol] ?? 0) : classOfOther(symbol);
    state = place === 0 ? 0 : (table[state * classes + place] ?? 0);
    if (state === 0) continue;
    starts[count % longest] = start;
    count += 1;
    const length = lengths[state] ?? 0;
    if (length > 0) extendSpans(spans, starts[(count - length) % longest] ?? start, at, kind);
  }
  return spans;
}

/** Each as it is read, so that values and texts go through the same reading. */
function plainForms(value: string): string[] {
  const written = [value, JSON.stringify(value).slice(1, -1), value.replaceAll(' ', '+'), escapeOthers(value)];
  return written.map(toSymbols).filter((form) => form.length >= SHORTEST_SECRET);
}

/** Characters beyond ASCII as addresses have them. */
const escapeOthers = (value: string): string => {
  try {
    return value.replaceAll(/[\u0080-\uffff]+/g, encodeURIComponent);
  } catch {
    // Half of a surrogate pair: no address holds it.
    return value;
  }
};

function encodedForms(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  if (bytes.length < 6) return [];
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
  const hex = [digits.join(''), digits.join(':'), digits.join(' ')];
  return [...hex, ...hex.map((form) => form.toUpperCase()), ...(bytes.length < 8 ? [] : base64Forms(bytes))];
}

/** Three bytes are four characters, so that the same value reads in three ways; its ends belong to its neighbours too. */
function base64Forms(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((shift) => {
    let binary = '\0'.repeat(shift);
    for (const byte of bytes) binary += String.fromCharCode(byte);
    const text = btoa(binary).replaceAll('=', '');
    const start = shift === 0 ? 0 : shift + 1;
    const core = text.slice(start, (bytes.length + shift) % 3 === 0 ? undefined : -1);
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function cutForms(forms: readonly string[]): string[] {
  return [
    ...new Set(
      forms.flatMap((form) => {
        if (form.length <= LONGEST_FORM) return [form];
        const pieces: string[] = [];
        for (let at = 0; at < form.length; at += PIECE) {
          pieces.push(form.slice(Math.max(0, Math.min(at, form.length - PIECE)), at + PIECE));
        }
        return pieces;
      }),
    ),
  ];
}
