import { stripVTControlCharacters } from 'node:util';

// What a terminal acts on, and marks that turn the direction of what follows.
const CONTROLS = /(?!\n)[\p{Control}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** A recorded text as it may be shown: nothing in it moves the cursor, colours, titles, or turns the line around. */
export function cleanText(text: string): string {
  return stripVTControlCharacters(text.replaceAll('\r\n', '\n'))
    .replaceAll('\t', '    ')
    .replaceAll(CONTROLS, (control) => (control === '\r' ? '\n' : '·'));
}

/** The same in one line. */
export const cleanLine = (text: string): string => cleanText(text).replaceAll(/\s+/gu, ' ').trim();
