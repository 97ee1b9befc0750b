import { showText } from '../show-text.ts';

/** What tokens say, asked by their place, so that a million of them need not become strings. */
export interface TokenPieces {
  /** How many columns of a line it takes; below zero where a line ends behind it. */
  cells(index: number): number;
  /** As it is shown: line ends and bytes that are no whole character are visible. */
  text(index: number): string;
}

/** Columns of a byte that is part of a character: `‹E2›`. */
const BYTE_CELLS = 4;
const NEWLINE = 10;

/** Tokens that came as texts. */
export function piecesOfStrings(pieces: readonly string[]): TokenPieces {
  return {
    cells: (index) => countCells(pieces[index] ?? ''),
    text: (index) => showText(pieces[index] ?? ''),
  };
}

/** Where no tokenizer is at hand the ids stand for themselves. */
export function piecesOfIds(ids: ArrayLike<number>): TokenPieces {
  return {
    cells: (index) => String(ids[index]).length + 1,
    text: (index) => `${ids[index]} `,
  };
}

/**
 * Tokens as stretches of the bytes of a text: one more offset than there are tokens. A token may begin or end within a
 * character; its bytes are shown as what they are.
 */
export function piecesOfBytes(bytes: Uint8Array, offsets: ArrayLike<number>): TokenPieces {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const start = (index: number): number => offsets[index] ?? 0;
  const end = (index: number): number => offsets[index + 1] ?? bytes.length;
  return {
    cells(index) {
      let cells = 0;
      let isBreak = false;
      const last = end(index);
      for (let at = start(index); at < last;) {
        const lead = bytes[at] ?? 0;
        if (lead < 0x80) {
          cells += 1;
          at += 1;
          if (lead === NEWLINE) isBreak = true;
          continue;
        }
        const length = characterLength(bytes, at, last);
        cells += length === 0 ? BYTE_CELLS : lead >= 0xe3 ? 2 : 1;
        at += Math.max(1, length);
      }
      return isBreak ? -cells : cells;
    },
    text(index) {
      let text = '';
      const last = end(index);
      for (let at = start(index); at < last;) {
        const length = characterLength(bytes, at, last);
        if (length === 0) {
          text += `‹${(bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0')}›`;
          at += 1;
          continue;
        }
        let next = at + length;
        for (let more = 1; next < last && more > 0;) {
          more = characterLength(bytes, next, last);
          next += more;
        }
        text += showText(decoder.decode(bytes.subarray(at, next)));
        at = next;
      }
      return text;
    },
  };
}

/** How many bytes the character takes that begins here; 0 where none begins, or it is cut off. */
function characterLength(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  const length =
    lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > end) return 0;
  for (let place = at + 1; place < at + length; place += 1) if (((bytes[place] ?? 0) & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1] ?? 0;
  // Forms that UTF-8 does not have: too long, halves of a pair, beyond the last character.
  const isWrong =
    (lead === 0xe0 && second < 0xa0) ||
    (lead === 0xed && second > 0x9f) ||
    (lead === 0xf0 && second < 0x90) ||
    (lead === 0xf4 && second > 0x8f);
  return isWrong ? 0 : length;
}

/** Columns in a font of one width, as near as a loop over characters can know it. */
function countCells(text: string): number {
  let cells = text.length;
  let isBreak = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE) isBreak = true;
    if (code >= 0x1100 && (code < 0x2000 || code >= 0x2e80) && (code < 0xd800 || code > 0xdfff)) cells += 1;
  }
  return isBreak ? -cells : cells;
}
