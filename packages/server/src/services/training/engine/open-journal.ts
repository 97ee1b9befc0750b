import type { JournalFile } from '@lachesis/tinker';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The journal of a run as a file. */
export function openJournal(path: string): JournalFile {
  mkdirSync(dirname(path), { recursive: true });
  return {
    read: () => (existsSync(path) ? readFileSync(path, 'utf8') : ''),
    // Synchronous: after a kill on the next line the request is either in the file or was never told to anybody.
    append: (text) => appendFileSync(path, text, { mode: 0o600 }),
  };
}
