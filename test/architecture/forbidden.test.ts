import { expect, test } from 'vitest';
import { findForbidden, type Forbidden } from './forbidden.ts';
import { isTestFile, listSourceFiles, readRepositoryFile } from './source-files.ts';

const useOptionNow = 'Take `now` as an option with the default `Date.now`, so that a test owns the time.';

const wallClock: Forbidden[] = [
  { pattern: /\bDate\.now\(\)/, instead: useOptionNow },
  { pattern: /\bnew Date\(\)/, instead: useOptionNow },
];

const nodeGlobals: Forbidden[] = [
  {
    pattern: /\bBuffer\b/,
    instead: 'protocol runs in browsers too: use Uint8Array, DataView, TextEncoder and TextDecoder.',
  },
  { pattern: /(?<![.\w$])process\./, instead: 'protocol runs in browsers too: take the value as an option.' },
  { pattern: /(?<![.\w$])(?:__dirname|__filename|setImmediate)\b/, instead: 'protocol runs in browsers too.' },
];

function findIn(folders: readonly string[], forbidden: readonly Forbidden[]): string {
  return listSourceFiles()
    .filter((file) => !isTestFile(file) && folders.some((folder) => file.startsWith(folder)))
    .flatMap((file) => findForbidden(file, readRepositoryFile(file), forbidden))
    .join('\n');
}

test('the queue, the stations of the loop and training read the time only from the clock they are given', () => {
  const timed = ['trajectory-api', 'inference', 'trainer', 'services/training'].map(
    (room) => `packages/server/src/${room}/`,
  );
  expect(findIn(['packages/store/src/queue/', ...timed], wallClock)).toBe('');
});

test('protocol uses nothing that only Node has', () => {
  expect(findIn(['packages/protocol/src/'], nodeGlobals)).toBe('');
});

test('a forbidden word is found in code and nowhere else', () => {
  const source = [
    'const now = options.now ?? Date.now; // not Date.now()',
    "const text = 'Date.now()';",
    'const at = Date.now();',
  ];
  expect(findForbidden('a.ts', source.join('\n'), wallClock)).toEqual([`a.ts:3 has Date.now(). ${useOptionNow}`]);
  expect(findForbidden('a.ts', 'new ArrayBuffer(8); Buffer.from([]); child.process.x', nodeGlobals)).toHaveLength(1);
});
