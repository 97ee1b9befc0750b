/**
 * `pnpm surface` shows how the public surface differs from its pin; `pnpm surface --write` moves the pin.
 * Read the difference before you commit it: a name that goes away breaks somebody.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { compareSurfaces, readSurface, surfaceFile, type Surface } from './read-surface.ts';
import { hasRepositoryFile, readRepositoryFile, repositoryRoot } from './source-files.ts';

const current = await readSurface();
const pinned: Surface = hasRepositoryFile(surfaceFile)
  ? (JSON.parse(readRepositoryFile(surfaceFile)) as Surface)
  : { packages: {}, commands: {} };
const { gone, added } = compareSurfaces(pinned, current);

for (const name of gone) console.log(`- ${name}`);
for (const name of added) console.log(`+ ${name}`);
if (gone.length + added.length === 0) console.log('The public surface is as pinned.');
else if (process.argv.includes('--write')) {
  writeFileSync(path.join(repositoryRoot, surfaceFile), `${JSON.stringify(current, null, 2)}\n`);
  console.log(`Wrote ${surfaceFile}: ${gone.length} gone, ${added.length} added.`);
} else {
  console.log('Run `pnpm surface --write` to pin this.');
  process.exitCode = 1;
}
