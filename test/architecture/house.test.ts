import { describe, expect, test } from 'vitest';
import { findCycles } from './find-cycles.ts';
import {
  countFolders,
  findWorse,
  houseFile,
  lowerFigures,
  readCodeOfPage,
  readHouse,
  readWalls,
} from './read-house.ts';
import type { HouseRecord } from './read-house.ts';
import { readRepositoryFile } from './source-files.ts';

const { figures: pinned, aims } = JSON.parse(readRepositoryFile(houseFile)) as HouseRecord;

test('no figure of the house is worse than its pin', { timeout: 30_000 }, () => {
  const { figures, details } = readHouse();
  const worse = findWorse(pinned, figures);
  if (figures.importCycles > pinned.importCycles) worse.push(...details.cycles.map((cycle) => cycle.join(' ▶ ')));
  if (worse.length > 0) {
    worse.push(
      '`pnpm house` shows what stands behind each figure. Make it better than you found it; no file is split and no folder made for a figure alone.',
      `If it must get worse, raise the figure in ${houseFile} by hand, and say in the commit what it buys.`,
    );
  }
  expect(worse.join('\n')).toBe('');
});

test('a worse figure is told, and a better one lowers the pin and no other', () => {
  const current = { ...pinned, publicNames: pinned.publicNames + 1, largestFolder: pinned.largestFolder - 1 };
  expect(findWorse(pinned, current)).toEqual([
    `publicNames is ${pinned.publicNames + 1}, and ${houseFile} allows ${pinned.publicNames}.`,
  ]);
  expect(lowerFigures(pinned, current)).toEqual({ ...pinned, largestFolder: pinned.largestFolder - 1 });
});

test('an aim is never easier than its pin', () => {
  expect(pinned).toEqual(lowerFigures(pinned, pinned));
  expect(Object.entries(aims).filter(([figure, aim]) => aim > pinned[figure as keyof typeof pinned])).toEqual([]);
});

describe('import cycles', () => {
  const find = (files: Record<string, string>) =>
    findCycles({
      files: Object.entries(files).map(([file, source]) => ({ file, source })),
      packages: [
        { folder: 'packages/a', manifest: { name: 'a', exports: { './x': { 'lachesis-source': './src/x.ts' } } } },
      ],
    });

  test('are found by types, by entries of packages, and in a file that imports itself', () => {
    expect(
      find({
        'packages/b/src/1.ts': "import type { Two } from './2.ts';",
        'packages/b/src/2.ts': "import { three } from './3.ts';",
        'packages/b/src/3.ts': "import './1.ts'; import './4.ts';",
        'packages/b/src/4.ts': "import './4.ts';",
        'packages/a/src/x.ts': "import '../../c/src/y.ts';",
        'packages/c/src/y.ts': "import { x } from 'a/x';",
      }),
    ).toEqual([
      ['packages/a/src/x.ts', 'packages/c/src/y.ts'],
      ['packages/b/src/1.ts', 'packages/b/src/2.ts', 'packages/b/src/3.ts'],
      ['packages/b/src/4.ts'],
    ]);
  });

  test('are not made by two ways to one file, nor by a worker that knows the type of who starts it', () => {
    expect(
      find({
        'b/1.ts': "import './2.ts'; import './3.ts';",
        'b/2.ts': "import './3.ts';",
        'b/3.ts': "new Worker(new URL('./4.ts', import.meta.url));",
        'b/4.ts': "import type { Job } from './3.ts';",
      }),
    ).toEqual([]);
  });
});

test('the files of a folder are those directly in it', () => {
  expect(countFolders(['a/1.ts', 'a/b/2.ts', 'a/b/3.ts'])).toEqual([
    { folder: 'a/b', files: 2 },
    { folder: 'a', files: 1 },
  ]);
});

test('a room that may import everything has no walls', () => {
  const table = [
    { name: 'a', folder: 'a', mayImport: [] },
    { name: 'b', folder: 'b', mayImport: ['a'] },
    { name: 'c', folder: 'c', mayImport: ['*'] },
  ];
  expect(readWalls(table)).toEqual({ open: ['c'], arrows: 1 });
});

test('a name on a page is one that stands there as code', () => {
  const code = readCodeOfPage(
    'A Group is sent with `sendGroup`.\n\n```ts\nconst a: Sent = 1;\n```\n\nThen it is Kept.',
  );
  expect(code).toMatch(/sendGroup/);
  expect(code).toMatch(/Sent/);
  expect(code).not.toMatch(/Group is|Kept/);
});
