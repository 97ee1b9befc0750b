import { lstat, rename } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { isAdapterFile } from './adapter-files.ts';
import { copyAdapter } from './copy-adapter.ts';
import { fetchToFile, unsafeFile } from './fetch-to-file.ts';
import type { FetchSettings } from './fetch-to-file.ts';
import { locateArchive } from './locate-archive.ts';
import { locateExternal } from './locate-external.ts';
import type { Staging } from './staging.ts';
import { formatTinkerPath } from './tinker-path.ts';
import type { TinkerPath } from './tinker-path.ts';
import { unpackAdapter } from './unpack-adapter.ts';
import { WeightsError } from './weights-error.ts';
import { withRetries } from './with-retries.ts';

export interface AdapterLimits {
  /** Of each file that is sent. */
  readonly downloadBytes: number;
  /** Of what an archive unpacks to. */
  readonly unpackedBytes: number;
  /** Files and directories in an archive. */
  readonly entries: number;
}

export interface FetchAdapterFilesOptions {
  settings: FetchSettings;
  path: TinkerPath;
  staging: Staging;
  /** An empty folder, where the two files go. */
  folder: string;
  limits: AdapterLimits;
  allowFileUrls: boolean;
}

/** Gets the two adapter files from wherever the server has them: an archive, signed addresses, or its own disk. */
export const fetchAdapterFiles = (options: FetchAdapterFilesOptions): Promise<void> =>
  options.path.kind === 'external_weights' ? fetchExternal(options) : fetchArchive(options);

/** Asks once, and again on each later call: an address that failed may have run out. */
function renewing<T>(first: T, ask: () => Promise<T>): () => Promise<T> {
  let calls = 0;
  return async () => {
    calls += 1;
    return calls === 1 ? first : ask();
  };
}

async function fetchArchive(options: FetchAdapterFilesOptions): Promise<void> {
  const { settings, staging } = options;
  const locate = () => locateArchive({ ...settings, path: options.path });
  const first = await withRetries(settings, locate);
  if (first.protocol === 'file:') {
    await takeLocal(options, first);
    return;
  }
  // `fetchToFile` refuses a file: address, should a later answer be one.
  await unpack(options, await fetchToFile({ ...settings, staging, file: 'archive', locate: renewing(first, locate) }));
}

async function fetchExternal(options: FetchAdapterFilesOptions): Promise<void> {
  const { settings, staging, folder } = options;
  const locate = () => locateExternal({ ...settings, path: options.path });
  const first = await withRetries(settings, locate);
  const names = [...first.keys()];
  const wanted = names.filter((name) => isAdapterFile(path.posix.basename(name)));
  const archives = names.filter((name) => /\.(?:tar|tar\.gz|tgz)$/.test(name));
  const isOneAdapter = wanted.length === 2 && new Set(wanted.map((name) => path.posix.basename(name))).size === 2;
  if (!isOneAdapter && (wanted.length > 0 || archives.length !== 1)) {
    const message = `The export of ${formatTinkerPath(options.path)} has ${names.length} files and is not one adapter.`;
    throw new WeightsError({ reason: 'bad-adapter', message });
  }
  for (const name of isOneAdapter ? wanted : archives) {
    const all = renewing(first, locate);
    const file = await fetchToFile({
      ...settings,
      staging,
      file: isOneAdapter ? path.posix.basename(name) : 'archive',
      locate: async () => {
        const address = (await all()).get(name);
        if (address !== undefined) return address;
        const message = `The export of ${formatTinkerPath(options.path)} has changed during the download.`;
        throw new WeightsError({ reason: 'protocol', message });
      },
    });
    if (!isOneAdapter) await unpack(options, file);
  }
  // All of them at the end: until then a death leaves them where the next call looks for them.
  if (isOneAdapter) {
    for (const file of wanted.map((name) => path.posix.basename(name))) {
      await rename(path.join(staging.directory, file), path.join(folder, file));
    }
  }
}

/** TuFT points to a folder on its own disk. */
async function takeLocal({ settings, allowFileUrls, folder, limits }: FetchAdapterFilesOptions, address: URL) {
  if (!allowFileUrls || address.host !== '') throw unsafeFile(new URL(settings.server.baseUrl));
  const local = fileURLToPath(address);
  const found = await lstat(local).catch(() => undefined);
  if (found?.isDirectory() === true) return copyAdapter({ from: local, to: folder });
  if (found?.isFile() === true)
    return unpackAdapter({ ...unpacking(limits, settings), archive: local, directory: folder });
  throw new WeightsError({ reason: 'no-archive', message: 'The server points to a file that is not on this machine.' });
}

const unpack = ({ settings, limits, folder }: FetchAdapterFilesOptions, archive: string): Promise<void> =>
  unpackAdapter({ ...unpacking(limits, settings), archive, directory: folder });

const unpacking = ({ entries, unpackedBytes }: AdapterLimits, { signal }: FetchSettings) => ({
  limits: { entries, totalBytes: unpackedBytes },
  signal,
});
