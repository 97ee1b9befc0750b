import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { decodeGroup, encodeGroup, type EncodableGroup } from '@lachesis/protocol/codec';

/** Finished groups that the trajectory API could not take before their process ended. */
export interface UnsentGroups {
  /** Resolves when the group is on disk. */
  add(groupId: string, group: EncodableGroup): Promise<void>;
  /** Those of an earlier process. */
  list(): Promise<readonly { readonly groupId: string; readonly group: EncodableGroup }[]>;
  /** The trajectory API has it now. */
  remove(groupId: string): Promise<void>;
  readonly folder: string;
}

const ENDING = '.group';
const NAME = /^[A-Za-z0-9-]{1,100}$/;
/** An older one was sampled from a policy that nobody trains any more; it stays on disk and is not sent. */
const MAX_AGE_MS = 24 * 60 * 60_000;

/** A folder with one packed group for each file. Each address has its own: a group belongs to the run it was made for. */
export function openUnsentGroups({
  folder: parent,
  url,
  now,
}: {
  folder: string;
  /** Of the trajectory API, with the run. */
  url: string;
  now: () => number;
}): UnsentGroups {
  const folder = path.join(parent, createHash('sha256').update(url).digest('hex').slice(0, 16));
  const pathOf = (groupId: string): string => path.join(folder, `${groupId}${ENDING}`);
  return {
    folder,
    async add(groupId, group) {
      if (!NAME.test(groupId)) throw new TypeError(`${JSON.stringify(groupId)} is no id of a group.`);
      await mkdir(folder, { recursive: true });
      const temporary = `${pathOf(groupId)}.tmp`;
      const file = await open(temporary, 'w', 0o600);
      try {
        await file.writeFile(encodeGroup(group));
        await file.sync();
      } finally {
        await file.close();
      }
      // If we die before this line the group has no name that is looked for; after it, it is whole.
      await rename(temporary, pathOf(groupId));
    },
    async list() {
      const found: { groupId: string; group: EncodableGroup }[] = [];
      for (const name of await listFolder(folder)) {
        const groupId = name.slice(0, -ENDING.length);
        if (!name.endsWith(ENDING) || now() - (await stat(path.join(folder, name))).mtimeMs > MAX_AGE_MS) continue;
        found.push({ groupId, group: decodeGroup(await readFile(path.join(folder, name))) });
      }
      return found;
    },
    remove: (groupId) => rm(pathOf(groupId), { force: true }),
  };
}

async function listFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
