/** A run of characters that base64 is made of, in both alphabets, with its padding. */
export interface Piece {
  readonly start: number;
  readonly end: number;
}

const [NEWLINE, RETURN, EQUALS, BACKSLASH] = [10, 13, 61, 92] as const;

/** Shorter pieces hold nothing. */
const SHORTEST = 16;

/** Without the padding, which may be two of them. */
export const SHORTEST_RUN = SHORTEST - 2;

/** Two finders ask for the pieces of a text one after the other, and a third has read them on its way. */
let lastText = '';
let lastPieces: readonly Piece[] = [];
let readText = '';
let readPieces: readonly Piece[] = [];

/** The pieces of sixteen characters and more. */
export function findPieces(text: string): readonly Piece[] {
  if (text === lastText) return lastPieces;
  if (text !== readText) readAll(text);
  // What is looked at inside of a piece is a text of its own, whose pieces nobody asks for.
  lastPieces = readPieces;
  lastText = text;
  return lastPieces;
}

export interface PieceReader {
  /** A run of such characters, of `SHORTEST_RUN` or more. */
  add(start: number, end: number): void;
  /** All runs of the text have been added. */
  end(): void;
}

/** For a loop that reads the characters anyway: this is asked of every text that is recorded. */
export function createPieceReader(text: string): PieceReader {
  const pieces: Piece[] = [];
  return {
    add(start, at) {
      let end = at;
      while (end - at < 2 && text.charCodeAt(end) === EQUALS) end += 1;
      if (end - start >= SHORTEST) pieces.push({ start, end });
    },
    end() {
      readText = text;
      readPieces = pieces;
    },
  };
}

function readAll(text: string): void {
  const reader = createPieceReader(text);
  for (const { 0: run, index } of text.matchAll(RUN)) reader.add(index, index + run.length);
  reader.end();
}

const RUN = /[A-Za-z0-9+/_-]{14,}/g;

/** How many pieces from here on are lines of one length, each alone on its line; the last may be shorter. */
export function countLines(text: string, pieces: readonly Piece[], at: number): number {
  const first = pieces[at];
  if (first === undefined) return 0;
  const length = first.end - first.start;
  let count = 1;
  for (let last = first; ; count += 1) {
    const next = pieces[at + count];
    if (next === undefined || next.start - last.end > 16 || next.end - next.start > length) return count;
    const code = text.charCodeAt(last.end);
    if (code !== NEWLINE && code !== RETURN && code !== BACKSLASH) return count;
    if (!/^(?:\r?\n|\\r\\n|\\n)[ \t>|]{0,12}$/.test(text.slice(last.end, next.start))) return count;
    // A shorter line is the end of the file.
    if (next.end - next.start < length) return count + 1;
    last = next;
  }
}
