import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

const APP = path.resolve(import.meta.dirname, '../../../apps/dashboard');
const DIST = path.join(APP, 'dist');

/** What somebody loads, in bytes of gzip. */
export interface PageWeight {
  /** Scripts that the page asks for before it draws anything. */
  entry: number;
  /** All scripts there are. */
  all: number;
  /** Scripts that have a schema library in them. */
  withSchemas: string[];
}

let built: Promise<unknown> | undefined;

/** Builds the page as it is shipped, where the server of a checkout looks for it; once for all who ask. */
export async function buildPage(): Promise<void> {
  await (built ??= build());
}

async function build(): Promise<void> {
  const vite = path.join(
    path.dirname(createRequire(path.join(APP, 'package.json')).resolve('vite/package.json')),
    'bin/vite.js',
  );
  await promisify(execFile)(process.execPath, [vite, 'build'], { cwd: APP });
}

export async function weighPage(): Promise<PageWeight> {
  const page = await readFile(path.join(DIST, 'index.html'), 'utf8');
  const first = new Set(
    [...page.matchAll(/(?:src|href)="\/assets\/(?<name>[^"]+\.js)"/g)].map(({ groups }) => groups?.['name']),
  );
  const names = (await readdir(path.join(DIST, 'assets'))).filter((name) => name.endsWith('.js'));
  const scripts = await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(path.join(DIST, 'assets', name));
      return { name, size: gzipSync(bytes, { level: 9 }).length, hasSchemas: bytes.includes('_zod') };
    }),
  );
  const sum = (some: readonly { size: number }[]): number => some.reduce((total, { size }) => total + size, 0);
  return {
    entry: sum(scripts.filter(({ name }) => first.has(name))),
    all: sum(scripts),
    withSchemas: scripts.filter(({ hasSchemas }) => hasSchemas).map(({ name }) => name),
  };
}
