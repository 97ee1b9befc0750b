import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const LIST_WHAT_IS_LOADED = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  await import(process.argv[1]);
  console.log(loaded.join('\\n'));`;

it('reads no Parquet and talks to no object store where the trajectory API keeps its payloads in files', () => {
  const loaded = listLoaded('trajectory-api/build.ts');
  expect(loaded).not.toEqual([]);
  expect(loaded.filter((url) => /hyparquet|blobs\/s3\/s3-blobs/.test(url))).toEqual([]);
});

it('loads neither store nor web server: the parent of a station comes through it, and is always in memory', () => {
  const loaded = listLoaded('index.ts').filter((url) => url.startsWith('file:'));
  expect(loaded).not.toEqual([]);
  // What is wrong with an address of a database is told without a database.
  const heavy = loaded.filter((url) => !url.endsWith('packages/store/src/database/database-url.ts'));
  expect(
    heavy.filter((url) => /packages\/store|node_modules\/(?:\.pnpm\/)?(?:kysely|fastify|pg|zod)/.test(url)),
  ).toEqual([]);
});

function listLoaded(module: string): string[] {
  const said = execFileSync(
    process.execPath,
    [
      ...['--conditions=lachesis-source', '--input-type=module', '--eval', LIST_WHAT_IS_LOADED],
      fileURLToPath(new URL(module, import.meta.url)),
    ],
    { encoding: 'utf8' },
  );
  return said.trim().split('\n');
}
