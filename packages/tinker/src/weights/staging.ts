import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

import { tryLock } from '@lachesis/protocol/files';
import { WeightsError } from './weights-error.ts';

/** What tells one version of a remote file from another. Without either, what is here cannot be continued. */
export interface FileVersion {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/** A folder beside the destination, in which a download is made and can be found again after a crash. */
export interface Staging {
  readonly directory: string;
  /** An empty folder inside, to be renamed to the destination. */
  makeFolder(): Promise<string>;
  versionOf(file: string): FileVersion | undefined;
  /** On disk before it returns: bytes without a version are thrown away, never continued. */
  setVersion(file: string, version: FileVersion | undefined): Promise<void>;
  /** Leaves the folder to the next attempt. */
  release(): Promise<void>;
  /** Removes the folder. */
  remove(): Promise<void>;
}

const FOLDER_PREFIX = 'folder-';

const stateSchema = z.object({
  source: z.string(),
  versions: z.record(z.string(), z.object({ etag: z.string().optional(), lastModified: z.string().optional() })),
});

export interface OpenStagingOptions {
  destination: string;
  /** What is being downloaded. Leftovers of anything else are removed. */
  source: string;
}

export async function openStaging({ destination, source }: OpenStagingOptions): Promise<Staging> {
  const directory = `${destination}.download`;
  await mkdir(directory, { recursive: true });
  const lockFile = `${directory}.lock`;
  const lock = tryLock(lockFile);
  if (lock === undefined) {
    const message = `Another download to this destination is under way (${lockFile}).`;
    throw new WeightsError({ reason: 'busy', message });
  }
  const releaseLock = async (): Promise<void> => {
    // Who opened the file just before may now hold it beside who makes it anew: they write the same bytes, and one rename wins.
    await rm(lockFile, { force: true });
    lock.release();
  };
  try {
    const stateFile = path.join(directory, 'state.json');
    const known = await readState(stateFile);
    const isContinued = known?.source === source;
    if (!isContinued) {
      await rm(directory, { recursive: true, force: true });
      await mkdir(directory, { recursive: true });
    }
    // Folders of a process that died: what is unpacked is made again from what is downloaded.
    for (const name of await readdir(directory)) {
      if (name.startsWith(FOLDER_PREFIX)) await rm(path.join(directory, name), { recursive: true, force: true });
    }
    const versions = new Map<string, FileVersion>(isContinued ? Object.entries(known.versions) : []);
    return {
      directory,
      makeFolder: () => mkdtemp(path.join(directory, FOLDER_PREFIX)),
      versionOf: (file) => versions.get(file),
      setVersion: async (file, version) => {
        if (version === undefined) versions.delete(file);
        else versions.set(file, version);
        await writeFile(`${stateFile}.next`, JSON.stringify({ source, versions: Object.fromEntries(versions) }));
        await rename(`${stateFile}.next`, stateFile);
      },
      release: releaseLock,
      remove: async () => {
        await rm(directory, { recursive: true, force: true });
        await releaseLock();
      },
    };
  } catch (error) {
    await releaseLock();
    throw error;
  }
}

/** Undefined when there is none, or when it was cut off: then the download starts anew. */
async function readState(file: string): Promise<z.output<typeof stateSchema> | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch {
    // A state that cannot be read is no state.
    return undefined;
  }
}
