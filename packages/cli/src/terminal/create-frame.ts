/** Lines that are drawn again in their place. */
export interface Frame {
  render(lines: readonly string[]): void;
  /** After the terminal has another size nothing is where it was. */
  clear(): void;
  /** Leaves the last lines, and the cursor as it was found. Can be called twice. */
  settle(): void;
}

export interface FrameOptions {
  write: (text: string) => void;
  /** Lines of the terminal, asked for each time it is drawn. */
  rows: () => number;
}

const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';
const TO_END_OF_LINE = '\u001B[K';
const TO_END_OF_SCREEN = '\u001B[J';

/** Lines must not be wider than the terminal: one that wraps is two, and the next drawing begins in the wrong place. */
export function createFrame({ write, rows }: FrameOptions): Frame {
  let live = 0;
  let isOpen = false;
  return {
    render(lines) {
      // What has scrolled out of the screen cannot be drawn again.
      const shown = lines.slice(0, Math.max(1, rows() - 1));
      const up = live === 0 ? '' : `\u001B[${live}A`;
      const begin = isOpen ? '' : HIDE_CURSOR;
      isOpen = true;
      // One write, and each line is written over the old one: nothing flickers.
      write(`${begin}${up}${shown.map((line) => `${line}${TO_END_OF_LINE}\n`).join('')}${TO_END_OF_SCREEN}`);
      live = shown.length;
    },
    clear() {
      if (isOpen) write('\u001B[2J\u001B[H');
      live = 0;
    },
    settle() {
      // Ctrl-C has left its sign behind the last line.
      if (isOpen) write(`\r${TO_END_OF_LINE}${SHOW_CURSOR}`);
      isOpen = false;
      live = 0;
    },
  };
}
