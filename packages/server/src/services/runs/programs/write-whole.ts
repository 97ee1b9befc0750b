import { rename, writeFile } from 'node:fs/promises';

/** Writes a file whole or not at all, for its owner alone. JSON is YAML. */
export async function writeWhole(path: string, value: unknown): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}
