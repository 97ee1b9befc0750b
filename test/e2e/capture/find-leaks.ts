import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';

/** Every way a secret may lie in a file: as it is, and as base64 hides it. */
function formsOf(secret: string): string[] {
  const encoded = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [secret, JSON.stringify(secret).slice(1, -1), encoded.slice(0, -2)];
}

/** Which of the secrets are found in a text. */
export function findIn(text: string, secrets: ReadonlySet<string>): string[] {
  return [...secrets].filter((secret) => formsOf(secret).some((form) => text.includes(form)));
}

export interface Leak {
  readonly place: string;
  readonly secret: string;
}

const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Looks through every file under a folder, also inside what is compressed there. */
export async function findInFiles(
  folder: string,
  secrets: ReadonlySet<string>,
): Promise<{ leaks: Leak[]; files: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const leaks: Leak[] = [];
  for (const file of files) {
    const bytes = await readFile(file);
    const text = [bytes.toString('latin1'), ...inflate(bytes)].join('\n');
    leaks.push(...findIn(text, secrets).map((secret) => ({ place: path.relative(folder, file), secret })));
  }
  return { leaks, files: files.length };
}

/** What is compressed in a file: one frame, or many between the rows of a database. */
function inflate(bytes: Buffer): string[] {
  const texts: string[] = [];
  for (let at = bytes.indexOf(ZSTD); at !== -1; at = bytes.indexOf(ZSTD, at + 4)) {
    try {
      texts.push(zstdDecompressSync(bytes.subarray(at)).toString('latin1'));
    } catch {
      // A frame that goes on in another page of the database; the library is asked for its rows besides.
    }
  }
  return texts;
}
