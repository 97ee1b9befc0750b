import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** Installed and built files: many, and not what somebody asks about. */
const PASSED_OVER = new Set(['node_modules', '.git', 'dist', 'venv', '.venv', '__pycache__', '.cache', 'build']);

export interface WalkedFile {
  path: string;
  isFolder: boolean;
}

/** Folders before what is in them, by name. Links are not followed, so that it ends. */
export async function* walkFiles(folder: string, depth: number): AsyncGenerator<WalkedFile> {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const entry of entries) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      yield { path: file, isFolder: true };
      if (depth > 1 && !PASSED_OVER.has(entry.name)) yield* walkFiles(file, depth - 1);
    } else if (entry.isFile()) yield { path: file, isFolder: false };
  }
}
