import { expect, test } from 'vitest';
import { readDeclaration } from './read-declaration.ts';
import { findStalePages, listParts, readReference, saysSomething } from './read-reference.ts';

const { pages, names } = readReference();

test('the reference pages are those the sources make', () => {
  const stale = findStalePages(pages);
  if (stale.length > 0) stale.push('Run `pnpm surface --write`, and commit the pages with your change.');
  expect(stale.join('\n')).toBe('');
});

test('every public name has a sentence that says what it is for', () => {
  const silent = names
    .filter((name) => !saysSomething(name))
    .map(
      ({ name, file, sentence }) =>
        `${file}: ${name} ${sentence === undefined ? 'has no comment' : `says only "${sentence}"`}.`,
    );
  expect(silent.join('\n')).toBe('');
});

test('a sentence that repeats the name is none', () => {
  expect(saysSomething({ name: 'openStore', sentence: undefined })).toBe(false);
  expect(saysSomething({ name: 'openStore', sentence: 'Open the store.' })).toBe(false);
  expect(saysSomething({ name: 'openStore', sentence: 'Opens a database, and brings its tables up to date.' })).toBe(
    true,
  );
});

test('a declaration is shown on one line, without its body, with the first sentence above it', () => {
  const source = `
/** Sends it, e.g. as \`a. b\`. Then it waits. */
export async function send<T>(
  { url, body = {} }: SendOptions<T>,
): Promise<{ sent: boolean }> {
  return { sent: true };
}
/**
 * What was sent,
 * and when.
 *
 * More of it.
 */
export interface Sent {
  /** In seconds. */
  at: number;
  by?: string;
}
export type Way = 'fast' | 'slow';
/** A run. */
export const runSchema = z.object({ id: z.string() });
export type Run = z.infer<typeof runSchema>;
export const isWay = (value: unknown): value is Way => value === 'fast';
export const clock: Clock = { now: () => 1 };
export const LIMIT = 3;
/** Thrown when it is away. */
export class AwayError extends Error { x = 1; }
`;
  expect(readDeclaration(source, 'send')).toEqual({
    kind: 'function',
    signature: 'function send<T>(options: SendOptions<T>): Promise<{ sent: boolean }>',
    sentence: 'Sends it, e.g. as `a. b`.',
  });
  expect(readDeclaration(source, 'Sent')).toEqual({
    kind: 'interface',
    signature: 'interface Sent { at: number; by?: string }',
    sentence: 'What was sent, and when.',
  });
  expect(readDeclaration(source, 'Way')).toEqual({
    kind: 'type',
    signature: "type Way = 'fast' | 'slow'",
    sentence: undefined,
  });
  expect(readDeclaration(source, 'Run')?.sentence).toBe('A run.');
  expect(readDeclaration(source, 'AwayError')?.signature).toBe('class AwayError extends Error');
  expect(readDeclaration(source, 'isWay')?.signature).toBe('const isWay = (value: unknown): value is Way');
  expect(readDeclaration(source, 'clock')?.signature).toBe('const clock: Clock');
  expect(readDeclaration(source, 'LIMIT')?.signature).toBe('const LIMIT = 3');
  expect(readDeclaration(source, 'Gone')).toBeUndefined();
});

test('the parts of a page are those of the file that lists the exports', () => {
  const source = `/* All of it. */
export { a } from './a.ts';

// Errors.
export { b as c, type D } from './b.ts';
export const e = 1;
`;
  expect(listParts(source)).toEqual([
    { title: undefined, names: ['a'] },
    { title: 'Errors', names: ['c', 'D', 'e'] },
  ]);
});
