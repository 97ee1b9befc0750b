import { fail } from '../terminal/fail.ts';

/** The number of a flag; anything else ends the command. */
export function readWholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,10}$/.test(text)) fail(`--${name} wants a whole number, and ${JSON.stringify(text)} was given.`);
  return Number(text);
}
