/**
 * `pnpm surface` shows how the public surface differs from its pin; `pnpm surface --write` moves the pin and makes the
 * reference pages anew.
 * Read the difference before you commit it: a name that goes away breaks somebody.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compareSurfaces, readSurface, surfaceFile, type Surface } from './read-surface.ts';
import { findStalePages, readReference, referenceFolder } from './read-reference.ts';
import { hasRepositoryFile, readRepositoryFile, repositoryRoot } from './source-files.ts';

const current = await readSurface();
const pinned: Surface = hasRepositoryFile(surfaceFile)
  ? (JSON.parse(readRepositoryFile(surfaceFile)) as Surface)
  : { packages: {}, commands: {} };
const { gone, added } = compareSurfaces(pinned, current);

const { pages } = readReference();
const stale = findStalePages(pages);

for (const name of gone) console.log(`- ${name}`);
for (const name of added) console.log(`+ ${name}`);
for (const page of stale) console.log(`~ ${page}`);
if (gone.length + added.length + stale.length === 0) console.log('The public surface is as pinned.');
else if (process.argv.includes('--write')) {
  writeFileSync(path.join(repositoryRoot, surfaceFile), `${JSON.stringify(current, null, 2)}\n`);
  mkdirSync(path.join(repositoryRoot, referenceFolder), { recursive: true });
  for (const page of stale) {
    const text = pages.get(page);
    if (text === undefined) rmSync(path.join(repositoryRoot, page));
    else writeFileSync(path.join(repositoryRoot, page), text);
  }
  console.log(
    `Wrote ${surfaceFile}: ${gone.length} gone, ${added.length} added; ${stale.length} pages of ${referenceFolder}.`,
  );
} else {
  console.log('Run `pnpm surface --write` to pin this.');
  process.exitCode = 1;
}
