import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The root of the repository. */
export const repositoryRoot = path.resolve(import.meta.dirname, '../..');

/** Every file that is committed or would be: tracked ones and new ones that .gitignore does not hide. */
export function listRepositoryFiles(): string[] {
  const listing = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repositoryRoot,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const files = listing.split('\0').filter((file) => file !== '' && existsSync(path.join(repositoryRoot, file)));
  return [...new Set(files)].toSorted();
}

/** The TypeScript files under packages/<name>/src and apps/<name>/src, tests included. */
export function listSourceFiles(): string[] {
  return listRepositoryFiles().filter((file) => /^(packages|apps)\/[^/]+\/src\/.+\.tsx?$/.test(file));
}

export function isTestFile(file: string): boolean {
  return /\.(test|fixture|examples)\.tsx?$/.test(file);
}

export function readRepositoryFile(file: string): string {
  return readFileSync(path.join(repositoryRoot, file), 'utf8');
}

export function hasRepositoryFile(file: string): boolean {
  return existsSync(path.join(repositoryRoot, file));
}
