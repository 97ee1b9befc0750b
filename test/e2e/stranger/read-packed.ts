import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a page on a registry is made of. */
const WANTED = ['description', 'keywords', 'license', 'homepage', 'bugs', 'repository', 'engines'] as const;

export interface PackedPackages {
  readonly packages: number;
  /** A sentence each. */
  readonly faults: readonly string[];
}

/** Looks into the installed packages for what must not have left the workspace, and for what has to be there. */
export async function readPacked(installed: string): Promise<PackedPackages> {
  const modules = join(installed, 'node_modules');
  const scoped = (await readdir(join(modules, '@lachesis'))).map((name) => `@lachesis/${name}`);
  const names = ['lachesis', ...scoped];
  const faults = (await Promise.all(names.map((name) => findFaults(join(modules, name), name)))).flat();
  return { packages: names.length, faults };
}

async function findFaults(folder: string, name: string): Promise<string[]> {
  const text = await readFile(join(folder, 'package.json'), 'utf8');
  const manifest = JSON.parse(text) as Record<string, unknown>;
  const missing = WANTED.filter((field) => manifest[field] === undefined);
  const files = await readdir(folder, { recursive: true });
  const dead = files.filter(
    (file) => /\.map$|\.tsbuildinfo$|\.test\.|\.fixture\./.test(file) && !file.includes('node_modules'),
  );
  const readme = await readFile(join(folder, 'README.md'), 'utf8').catch(() => '');
  return [
    ...missing.map((field) => `${name} has no ${field}`),
    ...(text.includes('lachesis-source') ? [`${name} exports sources that are not in it`] : []),
    ...dead.slice(0, 3).map((file) => `${name} has ${file}`),
    ...(/\]\((\.\.\/|src\/)/.test(readme) ? [`the README of ${name} links to files that are not in it`] : []),
    ...(readme.length < 400 ? [`the README of ${name} says hardly anything`] : []),
  ];
}
