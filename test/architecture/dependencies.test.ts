import { expect, test } from 'vitest';
import type { Manifest } from './packages.ts';
import { listRepositoryFiles, readRepositoryFile } from './source-files.ts';

const page = 'docs/decisions/dependencies.md';

/** Every package from outside that a package.json of this repository names, with its version. */
function listDependencies(): { name: string; version: string; manifest: string }[] {
  return listRepositoryFiles()
    .filter((file) => /(?:^|\/)package\.json$/.test(file))
    .flatMap((manifest) => {
      const { dependencies, devDependencies } = JSON.parse(readRepositoryFile(manifest)) as Manifest;
      return Object.entries({ ...dependencies, ...devDependencies })
        .filter(([, version]) => !version.startsWith('workspace:'))
        .map(([name, version]) => ({ name, version, manifest }));
    });
}

test('every dependency is pinned to one exact version', () => {
  const loose = listDependencies().filter(({ version }) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version));
  expect(loose).toEqual([]);
});

test('every dependency has a row with its version in the table of decisions', () => {
  const rows = readRepositoryFile(page)
    .split('\n')
    .filter((line) => line.startsWith('|'));
  const missing = listDependencies().filter(
    ({ name, version }) => !rows.some((row) => row.includes(`\`${name}\` ${version}`)),
  );
  expect(
    missing.map(
      ({ name, version, manifest }) =>
        `${manifest} has ${name} ${version}, but ${page} has no row with \`${name}\` ${version}. Say its job, what others use, and why this one.`,
    ),
  ).toEqual([]);
});
