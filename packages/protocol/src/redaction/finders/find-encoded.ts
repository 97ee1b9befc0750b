import { decodeBase64, decodeHex } from './decode-text.ts';
import { countLines, findPieces } from '../pieces.ts';
import { isInvisible, readHex } from './read-symbols.ts';
import type { FindSpans, Span } from '../span.ts';
import { findInWindows, REACH, windowsAround } from '../windows.ts';

/** Longer pieces are files. */
const LONGEST = 24_000;

/** What hides characters from a reader of plain text: escapes of addresses and programs, characters nobody sees. */
const HIDDEN =
  /%[0-7][0-9a-f]|\\(?:u00[0-7][0-9a-f]|x[0-7][0-9a-f]|[nrt"'\\])|[\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]/gi;

/** Finds texts in base64 or hexadecimal digits that hold a secret: all of the piece goes. */
export function createEncodedFinder(inside: FindSpans): FindSpans {
  return (text) => {
    const spans: Span[] = [];
    const pieces = findPieces(text);
    for (let at = 0; at < pieces.length;) {
      const lines = countLines(text, pieces, at);
      const start = pieces[at]?.start ?? 0;
      const end = pieces[at + lines - 1]?.end ?? start;
      at += lines;
      if (end - start > LONGEST) continue;
      const piece = text.slice(start, end);
      const hidden = decode(lines === 1 ? piece : piece.replaceAll(/\s|\\r|\\n|[>|]/g, ''));
      if (hidden !== undefined && inside(hidden).length > 0) spans.push({ start, end, kind: 'encoded' });
    }
    return spans;
  };
}

const HEX = /^(?:0x)?((?:[0-9a-f]{2}){8,}|(?:[0-9A-F]{2}){8,})$/;

/** Words and paths have no capitals among their letters, or nothing else. */
function decode(piece: string): string | undefined {
  const hex = /^(?:0x)?[0-9a-fA-F]+$/.test(piece) ? HEX.exec(piece)?.[1] : undefined;
  if (hex !== undefined) return decodeHex(hex);
  return /[a-z]/.test(piece) && /[A-Z]/.test(piece) ? decodeBase64(piece) : undefined;
}

const [PERCENT, BACKSLASH] = [37, 92] as const;
const DIGITS_OF_ESCAPE: Readonly<Record<string, number>> = { u: 4, x: 2 };
const CODES_OF_ESCAPE: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, '"': 34, "'": 39, '/': 47 };

/** Looks into a text with its escapes undone, and says where in the text itself what was found stands. */
export function createUnescapedFinder(inside: FindSpans): FindSpans {
  const look: FindSpans = (text) => {
    const codes = new Uint16Array(text.length);
    const starts = new Int32Array(text.length + 1);
    let count = 0;
    for (let at = 0; at < text.length; at += 1) {
      let code = text.charCodeAt(at);
      const start = at;
      if (code === PERCENT) {
        const byte = readHex(text, at + 1, 2);
        if (byte !== undefined && byte < 127 && byte > 31) [code, at] = [byte, at + 2];
      } else if (code === BACKSLASH) {
        // However many there are: a text in a text in a text.
        while (text.charCodeAt(at + 1) === BACKSLASH) at += 1;
        const letter = text[at + 1] ?? '';
        const digits = DIGITS_OF_ESCAPE[letter] ?? 0;
        const decoded = digits === 0 ? CODES_OF_ESCAPE[letter] : readHex(text, at + 2, digits);
        if (decoded !== undefined) [code, at] = [decoded, at + 1 + digits];
      }
      if (code > 127 && isInvisible(code)) continue;
      codes[count] = code;
      starts[count] = start;
      count += 1;
    }
    starts[count] = text.length;
    const plain = decoder.decode(codes.subarray(0, count));
    return inside(plain).map(({ start, end, kind }) => ({
      start: starts[start] ?? 0,
      end: starts[end] ?? text.length,
      kind,
    }));
  };
  return (text) => {
    const places: number[] = [];
    HIDDEN.lastIndex = 0;
    for (let match = HIDDEN.exec(text); match !== null; match = HIDDEN.exec(text)) {
      places.push(match.index);
      // The window around it holds those that follow closely.
      HIDDEN.lastIndex = match.index + REACH;
    }
    return places.length === 0 ? [] : findInWindows(text, windowsAround(text, places), look);
  };
}

const decoder = new TextDecoder('utf-16le');
