import type { Cell, CellStyle } from './terminal.ts';

export interface DrawSvgOptions {
  /** Over the screen: what was typed. */
  readonly title: string;
  readonly rows: readonly (readonly Cell[])[];
  readonly columns: number;
}

const COLUMN = 8.4;
const ROW = 20;
const MARGIN = 18;
const BAR = 36;

const GROUND = '#11151c';
const TEXT = '#d5dbe5';
const DIM = '#8590a2';
/** The sixteen, as they can be told apart on the ground: contrast of 4.5 and more. */
const COLOURS = [
  ...['#5c6773', '#ff7b72', '#7ee787', '#e3b341', '#79b8ff', '#d2a8ff', '#56d4dd', '#d5dbe5'],
  ...['#8590a2', '#ffa198', '#a5f3b0', '#f2cc60', '#a5d0ff', '#e2c5ff', '#8be9ef', '#ffffff'],
];

/** A screen as a picture: dark, of one width, each piece where its column is, whatever font is there. */
export function drawSvg({ title, rows, columns }: DrawSvgOptions): string {
  const width = Math.round(columns * COLUMN + 2 * MARGIN);
  const height = BAR + rows.length * ROW + MARGIN;
  const lines = rows.flatMap((row, index) => {
    const y = BAR + index * ROW + 15;
    return splitRow(row).map(({ text, column, length, style }) => {
      const x = (MARGIN + column * COLUMN).toFixed(1);
      // The length keeps columns straight where the font has other widths.
      return `<text x="${x}" y="${y}" textLength="${(length * COLUMN).toFixed(1)}"${describeStyle(style)}>${escape(text)}</text>`;
    });
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${TEXT};white-space:pre}</style>
<rect width="${width}" height="${height}" rx="8" fill="${GROUND}"/>
<circle cx="20" cy="17" r="5" fill="#ff5f57"/><circle cx="37" cy="17" r="5" fill="#febc2e"/><circle cx="54" cy="17" r="5" fill="#28c840"/>
<text x="${width / 2}" y="21" text-anchor="middle" style="font-size:12px;fill:${DIM}">${escape(title)}</text>
${lines.join('\n')}
</svg>
`;
}

interface Piece {
  text: string;
  column: number;
  length: number;
  style: CellStyle;
}

/** Neighbours that look alike are one piece; blanks at its ends are left out. */
function splitRow(row: readonly Cell[]): Piece[] {
  const pieces: Piece[] = [];
  for (const [column, { text, style }] of row.entries()) {
    const last = pieces.at(-1);
    if (last !== undefined && isAlike(last.style, style)) {
      last.text += text;
      last.length += 1;
    } else pieces.push({ text, column, length: 1, style });
  }
  return pieces.flatMap((piece) => {
    const trimmed = piece.text.trim();
    if (trimmed === '') return [];
    const before = piece.text.length - piece.text.trimStart().length;
    const after = piece.text.length - piece.text.trimEnd().length;
    return [{ ...piece, text: trimmed, column: piece.column + before, length: piece.length - before - after }];
  });
}

const isAlike = (left: CellStyle, right: CellStyle): boolean =>
  left.colour === right.colour && left.isBold === right.isBold && left.isDim === right.isDim;

function describeStyle({ colour, isBold, isDim }: CellStyle): string {
  const fill = colour === undefined ? (isDim ? DIM : undefined) : COLOURS[colour];
  const parts = [
    ...(fill === undefined ? [] : [`fill:${fill}`]),
    ...(isBold ? ['font-weight:600'] : []),
    ...(isDim && colour !== undefined ? ['opacity:.75'] : []),
  ];
  return parts.length === 0 ? '' : ` style="${parts.join(';')}"`;
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
