import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { quotePath } from '../flags/engine.ts';

export interface NameProgramOptions {
  readonly path?: string | undefined;
  /** The file that node was started with. */
  readonly script?: string | undefined;
  readonly exists?: (file: string) => boolean;
}

/** What a person types in this folder to start this program again. */
export function nameProgram(options: NameProgramOptions = {}): string {
  const { path = process.env['PATH'] ?? '', script = process.argv[1], exists = existsSync } = options;
  const folders = path.split(delimiter).filter((folder) => folder !== '' && exists(join(folder, 'lachesis')));
  // npx and scripts of a package.json put this folder before the rest; the shell that started them does not have it.
  const isLent = (folder: string): boolean => folder.endsWith(join('node_modules', '.bin'));
  if (folders.some((folder) => !isLent(folder))) return 'lachesis';
  if (folders.length > 0) return 'npx lachesis';
  return script === undefined ? 'lachesis' : `node ${quotePath(script)}`;
}
