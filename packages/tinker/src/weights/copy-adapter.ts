import { copyFile, readdir } from 'node:fs/promises';
import path from 'node:path';

import { ADAPTER_FILES } from './adapter-files.ts';
import { WeightsError } from './weights-error.ts';

/** PEFT puts an adapter with a name of its own into a folder of that name, and servers put that into one more. */
const MAX_DEPTH = 3;
const MAX_FOLDERS = 100;

/** Copies the two adapter files from a folder of this machine, or from the one folder below it that has them. */
export async function copyAdapter({ from, to }: { from: string; to: string }): Promise<void> {
  const found: string[] = [];
  let folders = 0;
  const visit = async (folder: string, depth: number): Promise<void> => {
    folders += 1;
    if (folders > MAX_FOLDERS)
      throw new WeightsError({ reason: 'too-large', message: 'The folder has too many folders.' });
    // Links are left alone: what they lead to was not what the server pointed to.
    const entries = await readdir(folder, { withFileTypes: true });
    const files = new Set(entries.filter((entry) => entry.isFile()).map((entry) => entry.name));
    if (Object.values(ADAPTER_FILES).every((file) => files.has(file))) found.push(folder);
    if (depth === MAX_DEPTH) return;
    for (const entry of entries) if (entry.isDirectory()) await visit(path.join(folder, entry.name), depth + 1);
  };
  await visit(from, 0);
  const [folder] = found;
  if (folder === undefined || found.length > 1) {
    const message = `The folder the server points to holds ${found.length} adapters in safetensors form.`;
    throw new WeightsError({ reason: 'bad-adapter', message });
  }
  for (const file of Object.values(ADAPTER_FILES)) await copyFile(path.join(folder, file), path.join(to, file));
}
