const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

/** Colours a text, or leaves it as it is. */
export type Paint = Readonly<Record<keyof typeof CODES, (text: string) => string>>;

export function createPaint(isColoured: boolean): Paint {
  const entries = Object.entries(CODES).map(([name, [on, off]]) => [
    name,
    (text: string): string => (isColoured && text !== '' ? `\u001B[${on}m${text}\u001B[${off}m` : text),
  ]);
  return Object.fromEntries(entries) as Paint;
}

/** Whether somebody looks who can see colours. */
export function wantsColour(
  stream: { isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  if (env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0') return true;
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}
