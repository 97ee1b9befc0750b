import { expect, test } from 'vitest';
import { walkCommands } from './read-commands.ts';
import { readExports } from './read-exports.ts';
import { compareSurfaces, readSurface, surfaceFile, type Surface } from './read-surface.ts';
import { readRepositoryFile } from './source-files.ts';

test('the public surface is the pinned one', { timeout: 60_000 }, async () => {
  const pinned = JSON.parse(readRepositoryFile(surfaceFile)) as Surface;
  const { gone, added } = compareSurfaces(pinned, await readSurface());
  const report = [...gone.map((name) => `gone:  ${name}`), ...added.map((name) => `added: ${name}`)];
  if (report.length > 0) {
    report.push(
      'If you meant it: run `pnpm surface --write`, commit test/architecture/surface.json with your change, and tell users in CHANGELOG.md.',
      'If you did not: export less, or keep the old name.',
    );
  }
  expect(report.join('\n')).toBe('');
});

test('an entry point is read name by name', () => {
  const source = `
export { encodeGroup, decodeGroup as decode, type GroupPayload } from './codec/index.ts';
export type { Store } from './store.ts';
// export { hidden } from './hidden.ts';
export const limit = 1;
export async function openStore() {}
export interface Options { a: 1 }
export * as codes from './codes.ts';
`;
  expect(readExports('index.ts', source)).toEqual(
    [
      'codes',
      'decode',
      'encodeGroup',
      'limit',
      'openStore',
      'type GroupPayload',
      'type Options',
      'type Store',
    ].toSorted(),
  );
});

test('an entry point that exports everything of a file is refused', () => {
  expect(() => readExports('index.ts', "export * from './codec/index.ts';")).toThrow(/names every export/);
});

test('a removed name and an added option are both reported', () => {
  const pinned: Surface = {
    packages: { a: { exports: {}, names: { '.': ['x', 'y'] } } },
    commands: { 'lachesis serve': [] },
  };
  const current: Surface = {
    packages: { a: { exports: {}, names: { '.': ['x'] } } },
    commands: { 'lachesis serve': ['--port'] },
  };
  expect(compareSurfaces(pinned, current)).toEqual({ gone: ['a (.) y'], added: ['lachesis serve --port'] });
});

test('commands and options are read from their definitions, lazy ones too', async () => {
  const serve = { args: { port: { type: 'string', alias: 'p' }, run: { type: 'positional' } } };
  const commands = { serve: () => Promise.resolve(serve), token: { subCommands: { list: {} } } };
  expect(await walkCommands({ subCommands: commands }, ['lachesis'])).toEqual({
    'lachesis serve': ['<run>', '--port', '-p'],
    'lachesis token list': [],
  });
});
