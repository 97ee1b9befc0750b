import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fail } from './terminal/fail.ts';

const PROJECT_FILE = 'lachesis.config.yaml';

/** Before a command runs: what the project file says becomes variables that are not set. Without a file nothing is loaded. */
export async function loadProjectFileIntoEnv(folder: string, env: Record<string, string | undefined>): Promise<void> {
  const file = findProjectFile(folder);
  if (file === undefined) return;
  const { loadProjectFile } = await import('./flags/project-file.ts');
  await loadProjectFile(file, env).catch((error: unknown) =>
    fail(error instanceof Error ? error.message : String(error)),
  );
}

/** The file in this folder, or in the nearest one above it. */
export function findProjectFile(folder: string): string | undefined {
  for (let here = resolve(folder); ; here = dirname(here)) {
    const file = join(here, PROJECT_FILE);
    if (existsSync(file)) return file;
    if (dirname(here) === here) return undefined;
  }
}
