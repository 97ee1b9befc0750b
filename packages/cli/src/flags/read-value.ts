import { existsSync } from 'node:fs';
import { fail } from '../terminal/fail.ts';

/** An option that was typed with a value. */
export function readText(args: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' ? value : undefined;
}

export function readNumber(name: string, value: unknown): number {
  const number = Number(value);
  if (value === '' || !Number.isFinite(number))
    fail(`--${name} wants a number, and ${JSON.stringify(value)} was given.`);
  return number;
}

/** The number of a flag; anything else ends the command. `wanted` is what else the flag takes, for the sentence. */
export function readWholeNumber(name: string, text: string | undefined, wanted = 'a whole number'): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,10}$/.test(text)) fail(`--${name} wants ${wanted}, and ${JSON.stringify(text)} was given.`);
  return Number(text);
}

/** Ends the command when what a flag names is not there, before anything is asked of a network. */
export function needFile(path: string, option: string): void {
  if (!existsSync(path)) fail(`there is no file ${path}. Check the path after ${option}.`);
}
