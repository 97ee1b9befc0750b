import { readAlgorithm, recipeSchema } from '@lachesis/protocol';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ALGORITHMS } from '../../packages/protocol/src/recipe/algorithms.ts';
import { rooms } from './directions.ts';
import { listEntries, listPackages } from './packages.ts';
import { readExports } from './read-exports.ts';
import { hasRepositoryFile, listRepositoryFiles, listSourceFiles, readRepositoryFile } from './source-files.ts';

const pages = listRepositoryFiles().filter((file) => file.endsWith('.md'));

/** What a newcomer comes with. */
const tasks = [
  ...['a loss to RL', 'tool call format', 'S3', 'a command', 'a metric', 'a field to a group', 'leased', 'a sandbox'],
  ...['an environment', 'a format to export', 'a table or a column', 'a route, with its scope', 'a chart'],
];

/** What pnpm does by itself, or finds among the installed programs. */
const pnpmWords = new Set(['add', 'exec', 'i', 'install', 'run', 'vitest']);

test('every link to a file of this repository leads somewhere', () => {
  const broken = pages.flatMap((page) =>
    [...readRepositoryFile(page).matchAll(/\]\((?!https?:|#|mailto:)(?<target>[^)\s#]+)[^)]*\)/g)]
      .map(({ groups }) => path.posix.join(path.posix.dirname(page), String(groups?.['target'])))
      .filter((target) => !hasRepositoryFile(target))
      .map((target) => `${page} links to ${target}, which does not exist.`),
  );
  expect(broken).toEqual([]);
});

/** Files and the folders that hold them. */
const places = new Set(
  listRepositoryFiles().flatMap((file) => {
    const parts = file.split('/');
    return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  }),
);

/** The paths of this repository that a page names as code, and that lead nowhere. `<noun>` stands for any one name. */
function findLostPaths(page: string): string[] {
  return [...page.matchAll(/`(?<path>(?:packages|test|docs|examples)\/[^`\s]*)`/g)]
    .map(({ groups }) => String(groups?.['path']))
    .filter((named) => {
      const pattern = named
        .replace(/\/$/, '')
        .replaceAll(/[.+?^$()|[\]\\]/g, '\\$&')
        .replaceAll('*', '[^/]*')
        .replaceAll(/<[^>]+>/g, '[^/]+')
        .replaceAll(/\{([^}]*)\}/g, (_, names: string) => `(?:${names.replaceAll(',', '|')})`);
      const wanted = new RegExp(`^${pattern}$`);
      return ![...places].some((place) => wanted.test(place));
    });
}

test('the index names every page for users', () => {
  const index = readRepositoryFile('docs/README.md');
  const missing = pages.filter(
    (page) => /^docs\/(get-started|guides)\//.test(page) && !index.includes(`(${page.replace(/^docs\//, '')})`),
  );
  expect(missing).toEqual([]);
});

/** The name is not ours on the registry: whoever takes it would run programs on the machines of our readers. */
test('no page runs the command from a registry', () => {
  const asking = pages
    .filter((page) => page !== 'CHANGELOG.md')
    .filter((page) =>
      /\bnpx (?:--yes |-y )?lachesis\b|npm (?:i|install) (?:-g |--global )?lachesis\b/.test(readRepositoryFile(page)),
    );
  expect(asking).toEqual([]);
});

test('every path that a page names exists', () => {
  const lost = pages
    .filter((page) => page !== 'CHANGELOG.md')
    .flatMap((page) => findLostPaths(readRepositoryFile(page)).map((named) => `${page} names ${named}.`));
  expect(lost).toEqual([]);
});

test('a path that leads nowhere is found, with or without a name left open', () => {
  const page =
    '`packages/store/src/blobs/` `test/architecture/{pages,house}.test.ts` `packages/<package>/README.md` `docs/guides/*.md`';
  expect(findLostPaths(page)).toEqual([]);
  expect(findLostPaths('`packages/cellar/src` `test/<suite>/wine.ts`')).toEqual([
    'packages/cellar/src',
    'test/<suite>/wine.ts',
  ]);
});

test('the table of tasks leads to a place for each', () => {
  const [, table = ''] = readRepositoryFile('CONTRIBUTING.md').split('## I want to…');
  const places = [...table.matchAll(/^\| (?<task>[^|]+) \| (?<place>[^|]+) \|/gm)];
  expect(places.length).toBeGreaterThan(20);
  for (const task of tasks) expect(places.map(({ groups }) => groups?.['task']).join('\n')).toContain(task);
});

test('every name that a page imports from a package is exported there', () => {
  const exported = new Set(
    listPackages().flatMap((workspacePackage) =>
      listEntries(workspacePackage).flatMap(({ subpath, file }) =>
        readExports(file, readRepositoryFile(file)).map(
          (name) => `${workspacePackage.manifest.name}${subpath.slice(1)} ${name.replace(/^type /, '')}`,
        ),
      ),
    ),
  );
  const missing = pages
    .filter((page) => page !== 'CHANGELOG.md')
    .flatMap((page) =>
      [...readRepositoryFile(page).matchAll(/import (?:type )?\{(?<names>[^}]*)\} from '(?<from>@lachesis\/[^']+)'/g)]
        .flatMap(({ groups }) =>
          String(groups?.['names'])
            .split(',')
            .map((entry) =>
              entry
                .trim()
                .replace(/^type /, '')
                .replace(/ as .*/, ''),
            )
            .filter((name) => name !== '')
            .map((name) => `${groups?.['from']} ${name}`),
        )
        .filter((name) => !exported.has(name))
        .map((name) => `${page} imports ${name}, which is not exported.`),
    );
  expect(missing).toEqual([]);
});

test('every pnpm command in a page exists', () => {
  const { scripts } = JSON.parse(readRepositoryFile('package.json')) as { scripts: Record<string, string> };
  const unknown = pages.flatMap((page) =>
    [...readRepositoryFile(page).matchAll(/(?:`|^|&& )pnpm (?<word>[a-z][\w:-]*)/gm)]
      .map(({ groups }) => String(groups?.['word']))
      .filter((word) => scripts[word] === undefined && !pnpmWords.has(word))
      .map((word) => `${page} says \`pnpm ${word}\`, but package.json has no such script.`),
  );
  expect(unknown).toEqual([]);
});

test('the loop page describes every room that has files', () => {
  const loop = readRepositoryFile('docs/architecture/loop.md');
  const files = listSourceFiles();
  const silent = rooms
    .filter(({ name, folder }) => name.includes('/') && files.some((file) => file.startsWith(`${folder}/`)))
    .filter(({ name }) => !loop.includes(`\`${name}\``))
    .map(({ name }) => `docs/architecture/loop.md does not describe the room \`${name}\`.`);
  expect(silent).toEqual([]);
});

/** The keys of `tinker: { a: 1, b: c }`, as a page of an algorithm writes them. */
function readKeys(page: string): Record<string, unknown> {
  const keys = /^tinker: \{ (?<keys>.*) \}$/m.exec(page)?.groups?.['keys'] ?? '';
  const toValue = (text: string): unknown => (/^[\d.]+$|^true$/.test(text) ? JSON.parse(text) : text);
  return Object.fromEntries(
    keys.split(', ').map((pair) => {
      const [key = '', value = ''] = pair.split(': ');
      return [key, toValue(value)];
    }),
  );
}

test.each(Object.keys(ALGORITHMS))('the keys on the page of %s are what its name stands for', (algorithm) => {
  const page = readRepositoryFile(`docs/guides/algorithms/${algorithm}.md`);
  const read = (tinker: object): unknown => readAlgorithm(recipeSchema.parse({ tinker }).tinker);
  expect(read(readKeys(page))).toEqual(read({ algorithm }));
  // Some of a preset is what a recipe has that says nothing; a page that names too little would be wrong when that changes.
  for (const key of ['loss', 'loss_aggregation', 'advantage']) expect(Object.keys(readKeys(page))).toContain(key);
  expect(readRepositoryFile('docs/guides/choose-an-algorithm.md')).toContain(`(algorithms/${algorithm}.md)`);
});
