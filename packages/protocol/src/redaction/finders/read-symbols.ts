/** Characters that nobody sees: joiners, marks of direction, the soft hyphen. */
export const isInvisible = (code: number): boolean =>
  (code >= 0x20_0b && code <= 0x20_0f) ||
  (code >= 0x20_60 && code <= 0x20_64) ||
  code === 0xfe_ff ||
  code === 0xad ||
  code === 0x18_0e;

/** The end of a quoted piece and the beginning of the next: `"abc" + "def"`. */
const JOINT = /["'`]\s{0,20}(?:\\{1,3}n|[+.&])?\s{0,20}\\{0,3}["'`]/y;

const [TAB, NEWLINE, RETURN, BLANK, QUOTE, PERCENT, APOSTROPHE, BACKSLASH, BACKTICK] = [
  9, 10, 13, 32, 34, 37, 39, 92, 96,
] as const;

/** One for what is not simply itself. */
const IS_SPECIAL = new Uint8Array(128);
for (const code of [NEWLINE, RETURN, QUOTE, PERCENT, APOSTROPHE, BACKSLASH, BACKTICK]) IS_SPECIAL[code] = 1;

/** Nothing of the value: it is passed over. */
export const NOTHING = -1;

/**
 * A text as the value in it would be typed: without line breaks, invisible characters and the joints of quoted pieces,
 * with escapes of addresses, JSON and programs undone.
 */
export function toSymbols(text: string): string {
  let symbols = '';
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    const [symbol, end] = isSpecial(code) ? readSpecial(text, at, code) : [code, at + 1];
    if (symbol !== NOTHING) symbols += String.fromCharCode(symbol);
    at = end;
  }
  return symbols;
}

export const isSpecial = (code: number): boolean => (code < 128 ? IS_SPECIAL[code] === 1 : isInvisible(code));

/** A symbol that is written in another way, and where it ends. */
export function readSpecial(text: string, at: number, code: number): [symbol: number, end: number] {
  if (code === NEWLINE || code === RETURN) return [NOTHING, endOfIndent(text, at + 1)];
  if (code === PERCENT) {
    const byte = readHex(text, at + 1, 2);
    // A byte beyond ASCII is a part of a character: it stays as it is written, in capitals.
    return byte === undefined || byte > 127 ? [PERCENT, at + 1] : [byte, at + 3];
  }
  if (code === BACKSLASH) return readEscape(text, at);
  if (code >= 128) return [NOTHING, at + 1];
  JOINT.lastIndex = at;
  const joint = JOINT.exec(text);
  return joint === null ? [code, at + 1] : [NOTHING, at + joint[0].length];
}

/** A backslash is never part of the value: texts in texts have any number of them. */
function readEscape(text: string, at: number): [symbol: number, end: number] {
  const letter = text[at + 1];
  if (letter === 'n' || letter === 'r') return [NOTHING, endOfIndent(text, at + 2)];
  if (letter === 't') return [TAB, at + 2];
  const digits = letter === 'u' ? 4 : letter === 'x' ? 2 : 0;
  const decoded = digits === 0 ? undefined : readHex(text, at + 2, digits);
  if (decoded === undefined) return [NOTHING, at + 1];
  return [isInvisible(decoded) ? NOTHING : decoded, at + 2 + digits];
}

/** After a line break, the blanks that push the next line to the right. */
function endOfIndent(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === BLANK || text.charCodeAt(at) === TAB) at += 1;
  return at;
}

/** So many hexadecimal digits as a number. */
export function readHex(text: string, at: number, digits: number): number | undefined {
  let value = 0;
  for (let place = at; place < at + digits; place += 1) {
    const code = text.charCodeAt(place);
    const digit =
      code >= 48 && code <= 57 ? code - 48 : (code | 32) >= 97 && (code | 32) <= 102 ? (code | 32) - 87 : NaN;
    if (Number.isNaN(digit)) return undefined;
    value = value * 16 + digit;
  }
  return value;
}
