import { join } from 'node:path';
import type { BlobNotes } from './blob-store.ts';
import type { FileCalls } from './file-calls.ts';
import { isMissing, isTaken } from './file-error.ts';
import { syncDirectory, writeDurably } from './put-blob.ts';
import { removeFile } from './remove-blob.ts';

/** Notes as hidden files in the folder of the blobs. */
export function openFileNotes(options: { directory: string; files: FileCalls; createSuffix: () => string }): BlobNotes {
  const { directory, files, createSuffix } = options;
  return {
    async read(name) {
      try {
        return Buffer.from(await files.read(join(directory, name))).toString('utf8');
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    // A link fails where a rename would replace: of two who write at once, both then read what the first one wrote. If we
    // die before the link nothing has changed but a leftover of a few bytes.
    async writeOnce(name, text) {
      const temporary = join(directory, `${name}.${createSuffix()}.tmp`);
      await files.makeDirectory(directory);
      try {
        await writeDurably(files, temporary, Buffer.from(text));
        await files.link(temporary, join(directory, name));
      } catch (error) {
        if (!isTaken(error)) throw error;
      } finally {
        // It was never made, or somebody removed it first; what is left harms nobody.
        await removeFile(files, temporary).catch(() => undefined);
      }
      await syncDirectory(files, directory);
    },
    async list() {
      const notes: { name: string; modifiedAtMs: number }[] = [];
      for (const name of await listNames(files, directory)) {
        if (!name.startsWith('.') || name.endsWith('.tmp')) continue;
        // Removed since the folder was read.
        const status = await files.status(join(directory, name)).catch(() => undefined);
        if (status !== undefined) notes.push({ name, modifiedAtMs: status.modifiedAtMs });
      }
      return notes;
    },
    remove: (name) => removeFile(files, join(directory, name)),
  };
}

async function listNames(files: FileCalls, directory: string): Promise<string[]> {
  try {
    return await files.listDirectory(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
