import { textWidth, wrapText } from './text-width.ts';

/** Left of the text of each row; a name that is longer stands on a line of its own. */
const MOST_OF_NAME = 26;
const INDENT = 2;
const GAP = 2;

export interface ColumnsOptions {
  readonly rows: readonly (readonly [name: string, text: string])[];
  readonly columns: number;
  readonly paintName?: (text: string) => string;
}

/** Names on the left and what they mean on the right, broken between words at the width. */
export function renderColumns({ rows, columns, paintName = (text) => text }: ColumnsOptions): string[] {
  const width = Math.min(MOST_OF_NAME, Math.max(0, ...rows.map(([name]) => textWidth(name))));
  const left = INDENT + width + GAP;
  const pad = ' '.repeat(left);
  return rows.flatMap(([name, text]) => {
    const [first = '', ...more] = wrapText(text, Math.max(20, columns - left));
    const head = ' '.repeat(INDENT) + paintName(name);
    const filled =
      textWidth(name) > width ? [head, pad + first] : [head + ' '.repeat(left - INDENT - textWidth(name)) + first];
    return [...filled, ...more.map((line) => pad + line)].map((line) => line.trimEnd());
  });
}
