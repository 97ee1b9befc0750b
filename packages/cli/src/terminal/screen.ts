import { createPaint, wantsColour, type Paint } from './paint.ts';

const DEFAULT_COLUMNS = 100;

/** How the terminal is: colours and width, both plain when the output goes into a pipe. */
export function readScreen(): { paint: Paint; columns: number; rows: number } {
  const { stdout } = process;
  // A terminal that does not know its width says 0.
  const columns = stdout.isTTY && stdout.columns > 0 ? stdout.columns : DEFAULT_COLUMNS;
  const rows = stdout.isTTY && stdout.rows > 0 ? stdout.rows : 40;
  return { paint: createPaint(wantsColour(stdout, process.env)), columns: Math.max(40, columns), rows };
}

export const writeJson = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
