/** What `str.isspace` says yes to; JavaScript's own idea differs in both directions. */
const SPACE = '\\t\\n\\v\\f\\r\\x1c-\\x1f \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';

const START = new RegExp(`^[${SPACE}]+`);
const NOT_SPACE = new RegExp(`[^${SPACE}]`);
const isSpace = new RegExp(`[${SPACE}]`);

/** `text.rstrip()`. By a loop: a regular expression anchored at the end looks at every run of spaces on the way there. */
export function stripEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace.test(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end);
}

/** `text.lstrip()`. */
export const stripStart = (text: string): string => text.replace(START, '');

/** `text.strip()`. */
export const strip = (text: string): string => stripStart(stripEnd(text));

/** `not text.strip()`. */
export const isBlank = (text: string): boolean => !NOT_SPACE.test(text);
