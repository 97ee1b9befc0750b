/** How one cell looks. Colours are numbers of the sixteen, in the order of ANSI. */
export interface CellStyle {
  readonly colour: number | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

export interface Cell {
  readonly text: string;
  readonly style: CellStyle;
}

const PLAIN: CellStyle = { colour: undefined, isBold: false, isDim: false };
const BLANK: Cell = { text: ' ', style: PLAIN };

// A sequence, a control character, or one letter with what is put on it.
// eslint-disable-next-line no-control-regex -- these are the characters that drive a terminal
const PIECE = /\u001B\[([0-9;?]*)([A-Za-z])|\u001B[()][A-Z0-9]|[\u0000-\u001F]|[^\u0000-\u001F\u001B]\p{Mark}*/gu;

/** A terminal that remembers what it shows. It knows what our commands use, and passes over the rest. */
export class Terminal {
  readonly columns: number;
  #rows: Cell[][] = [];
  #row = 0;
  #column = 0;
  #style: CellStyle = PLAIN;
  /** The beginning of a sequence whose end is in the next piece. */
  #half = '';

  constructor({ columns }: { columns: number }) {
    this.columns = columns;
  }

  write(text: string): void {
    const all = this.#half + text;
    // eslint-disable-next-line no-control-regex -- as above
    const cut = /\u001B(?:\[[0-9;?]*)?$/.exec(all);
    this.#half = cut?.[0] ?? '';
    for (const [piece, parameters = '', command] of all.slice(0, all.length - this.#half.length).matchAll(PIECE)) {
      if (command !== undefined) this.#run(command, parameters);
      else if (piece === '\n') this.#move(this.#row + 1, this.#column);
      else if (piece === '\r') this.#column = 0;
      else if (piece === '\b') this.#column = Math.max(0, this.#column - 1);
      else if (piece >= ' ') this.#put(piece);
    }
  }

  /** Rows down to the last one with something on it. */
  read(): readonly (readonly Cell[])[] {
    const last = this.#rows.findLastIndex((row) => row.some(({ text }) => text !== ' '));
    return Array.from({ length: last + 1 }, (_, index) => this.#rows[index] ?? []);
  }

  readText(): string {
    return this.read()
      .map((row) =>
        row
          .map(({ text }) => text)
          .join('')
          .trimEnd(),
      )
      .join('\n');
  }

  #put(text: string): void {
    if (this.#column >= this.columns) this.#move(this.#row + 1, 0);
    const row = (this.#rows[this.#row] ??= []);
    while (row.length < this.#column) row.push(BLANK);
    row[this.#column] = { text, style: this.#style };
    this.#column += 1;
  }

  #move(row: number, column: number): void {
    this.#row = Math.max(0, row);
    this.#column = Math.max(0, column);
  }

  #run(command: string, parameters: string): void {
    const numbers = parameters.split(';').map((text) => (text === '' ? undefined : Number(text)));
    const [first] = numbers;
    const count = first === undefined || Number.isNaN(first) ? 1 : first;
    if (command === 'm') for (const number of numbers) this.#style = restyle(this.#style, number ?? 0);
    else if (command === 'A') this.#move(this.#row - count, this.#column);
    else if (command === 'B') this.#move(this.#row + count, this.#column);
    else if (command === 'C') this.#column += count;
    else if (command === 'D') this.#move(this.#row, this.#column - count);
    else if (command === 'G') this.#column = count - 1;
    else if (command === 'F') this.#move(this.#row - count, 0);
    else if (command === 'H') this.#move(count - 1, (numbers[1] ?? 1) - 1);
    else if (command === 'K') this.#eraseLine(first ?? 0);
    else if (command === 'J') this.#eraseBelow(first ?? 0);
  }

  #eraseLine(how: number): void {
    const row = (this.#rows[this.#row] ??= []);
    if (how === 0) row.length = Math.min(row.length, this.#column);
    else if (how === 2) row.length = 0;
    else for (let column = 0; column <= this.#column; column += 1) row[column] = BLANK;
  }

  #eraseBelow(how: number): void {
    if (how !== 0) {
      this.#rows = [];
      return;
    }
    this.#eraseLine(0);
    this.#rows.length = Math.min(this.#rows.length, this.#row + 1);
  }
}

function restyle(style: CellStyle, number: number): CellStyle {
  if (number === 0) return PLAIN;
  if (number === 1) return { ...style, isBold: true };
  if (number === 2) return { ...style, isDim: true };
  if (number === 22) return { ...style, isBold: false, isDim: false };
  if (number === 39) return { ...style, colour: undefined };
  if (number >= 30 && number <= 37) return { ...style, colour: number - 30 };
  return number >= 90 && number <= 97 ? { ...style, colour: number - 90 + 8 } : style;
}
