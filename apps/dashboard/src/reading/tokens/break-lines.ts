import type { TokenPieces } from './token-pieces.ts';

/** The first token of each line: a line is full, or its last token ends one. */
export function breakLines(pieces: TokenPieces, count: number, columns: number): Uint32Array {
  let starts = new Uint32Array(Math.max(16, Math.ceil(count / 8)));
  let lines = 0;
  let column = columns;
  let isBehindBreak = true;
  for (let index = 0; index < count; index += 1) {
    const signed = pieces.cells(index);
    const cells = Math.abs(signed);
    if (isBehindBreak || column + cells > columns) {
      if (lines === starts.length) {
        const more = new Uint32Array(starts.length * 2);
        more.set(starts);
        starts = more;
      }
      starts[lines] = index;
      lines += 1;
      column = 0;
    }
    column += cells;
    isBehindBreak = signed < 0;
  }
  return starts.subarray(0, lines);
}

/** The line a token stands in. */
export function findLine(starts: Uint32Array, token: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= token) low = middle;
    else high = middle - 1;
  }
  return low;
}
