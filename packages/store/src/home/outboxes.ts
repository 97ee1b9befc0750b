import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { homePaths, outboxPaths, readTenantFolder } from '@lachesis/protocol/home';
import { readdir } from 'node:fs/promises';

type OutboxPaths = ReturnType<typeof outboxPaths>;

export interface HomeOutbox extends OutboxPaths {
  /** Whoever has left records in it, one folder each. */
  readonly recorders: readonly string[];
}

/** The outboxes of a home that hold anything, that of the home's own tenant first. */
export async function listOutboxes(home: string): Promise<HomeOutbox[]> {
  const others = (await listFolders(homePaths(home).outboxTenants)).map((name) => readTenantFolder(name));
  const found: HomeOutbox[] = [];
  for (const tenantId of [LOCAL_TENANT, ...others]) {
    const paths = outboxPaths(home, tenantId);
    const recorders = await listFolders(paths.directory);
    if (recorders.length > 0) found.push({ ...paths, recorders });
  }
  return found;
}

/** The folders in a folder; none when it is not there yet. */
async function listFolders(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
