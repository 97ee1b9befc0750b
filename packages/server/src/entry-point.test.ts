import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const LIST_WHAT_IS_LOADED = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  await import(process.argv[1]);
  console.log(loaded.join('\\n'));`;

it('loads neither store nor web server: the parent of a station comes through it, and is always in memory', () => {
  const entryPoint = fileURLToPath(new URL('index.ts', import.meta.url));
  const said = execFileSync(
    process.execPath,
    ['--conditions=lachesis-source', '--input-type=module', '--eval', LIST_WHAT_IS_LOADED, entryPoint],
    { encoding: 'utf8' },
  );
  const loaded = said.split('\n').filter((url) => url.startsWith('file:'));
  expect(loaded).not.toEqual([]);
  // What is wrong with an address of a database is told without a database.
  const heavy = loaded.filter((url) => !url.endsWith('packages/store/src/database/database-url.ts'));
  expect(
    heavy.filter((url) => /packages\/store|node_modules\/(?:\.pnpm\/)?(?:kysely|fastify|pg|zod)/.test(url)),
  ).toEqual([]);
});
