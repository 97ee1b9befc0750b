/** A run of characters that base64 is made of, in both alphabets, with its padding. */
export interface Piece {
  readonly start: number;
  readonly end: number;
}

const IS_PIECE = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-') {
  IS_PIECE[character.charCodeAt(0)] = 1;
}

const EQUALS = 61;

/** Shorter pieces hold nothing. */
const SHORTEST = 16;

/** Two finders ask for the pieces of a text one after the other. */
let lastText = '';
let lastPieces: readonly Piece[] = [];

/** The pieces of sixteen characters and more. */
export function findPieces(text: string): readonly Piece[] {
  if (text !== lastText) {
    lastPieces = readPieces(text, SHORTEST);
    lastText = text;
  }
  return lastPieces;
}

/** One loop over the characters: this is asked of every text that is recorded. */
function readPieces(text: string, minLength: number): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const code = at < text.length ? text.charCodeAt(at) : 0;
    if (code < 128 && IS_PIECE[code] === 1) continue;
    if (at - start >= minLength - 2 && at > start) {
      let end = at;
      while (end - at < 2 && text.charCodeAt(end) === EQUALS) end += 1;
      if (end - start >= minLength) pieces.push({ start, end });
    }
    start = at + 1;
  }
  return pieces;
}

/** How many pieces from here on are lines of one length, each alone on its line; the last may be shorter. */
export function countLines(text: string, pieces: readonly Piece[], at: number): number {
  const first = pieces[at];
  if (first === undefined) return 0;
  const length = first.end - first.start;
  let count = 1;
  for (let last = first; ; count += 1) {
    const next = pieces[at + count];
    if (next === undefined || next.start - last.end > 16 || next.end - next.start > length) return count;
    if (!/^(?:\r?\n|\\r\\n|\\n)[ \t>|]{0,12}$/.test(text.slice(last.end, next.start))) return count;
    // A shorter line is the end of the file.
    if (next.end - next.start < length) return count + 1;
    last = next;
  }
}
