import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { fetchAdapterFiles } from './fetch-adapter-files.ts';
import type { AdapterLimits } from './fetch-adapter-files.ts';
import type { FetchSettings } from './fetch-to-file.ts';
import { fetchListedFiles } from './fetch-listed-files.ts';
import type { ListedFile } from './fetch-listed-files.ts';
import { finishAdapterFolder } from './finish-adapter-folder.ts';
import type { FinishedAdapter } from './finish-adapter-folder.ts';
import { checkDestination, putInPlace, recoverReplaced } from './put-in-place.ts';
import { openStaging } from './staging.ts';
import type { Staging } from './staging.ts';
import { formatTinkerPath, parseTinkerPath } from './tinker-path.ts';
import { WeightsError } from './weights-error.ts';
import type { WeightsServer } from './weights-server.ts';

export interface DownloadAdapterOptions {
  /** `tinker://RUN/sampler_weights/NAME`, `tinker://RUN/NAME` or `tinker://RUN/external_weights/NAME`. */
  path: string;
  /** The folder to make. What is half done stands beside it, as `<destination>.download`. */
  destination: string;
  server: WeightsServer;
  /** Replaces a folder that is there. Default: refuses. */
  overwrite?: boolean;
  /** Reads a `file:` address the server points to, as TuFT does. Default: refuses; a server could name any file. */
  allowFileUrls?: boolean;
  /** Written into the config in place of the server's name for the base model. */
  baseModel?: string;
  limits?: Partial<AdapterLimits>;
  signal?: AbortSignal;
  /** For all of it. Default six hours. */
  timeoutMs?: number;
  /** How long a server may be silent. Default one minute. */
  idleMs?: number;
  /** Tries of each file. Default 5. */
  attempts?: number;
  onProgress?: FetchSettings['onProgress'];
  sleep?: FetchSettings['sleep'];
  random?: FetchSettings['random'];
  now?: () => number;
}

/** Rank 128 on the largest open models is some ten gigabytes. */
const DEFAULT_LIMITS: AdapterLimits = Object.freeze({
  downloadBytes: 32 * 1024 ** 3,
  unpackedBytes: 32 * 1024 ** 3,
  entries: 1000,
});

export interface DownloadedAdapter extends FinishedAdapter {
  readonly directory: string;
}

/** Downloads trained weights as a folder that PEFT loads. The folder is there as a whole or not at all. */
export function downloadAdapter(options: DownloadAdapterOptions): Promise<DownloadedAdapter> {
  const { allowFileUrls = false } = options;
  const path = parseTinkerPath(options.path);
  return download(options, formatTinkerPath(path), (parts) => fetchAdapterFiles({ ...parts, path, allowFileUrls }));
}

export interface DownloadListedAdapterOptions extends Omit<DownloadAdapterOptions, 'allowFileUrls' | 'path'> {
  /** What it is, for sentences and so that leftovers of another one are not continued. */
  source: string;
  files: readonly ListedFile[];
}

/** The same from a server that lists the files with their digests: what does not have its digest is thrown away. */
export const downloadListedAdapter = (options: DownloadListedAdapterOptions): Promise<DownloadedAdapter> =>
  download(options, options.source, (parts) => fetchListedFiles({ ...parts, files: options.files }));

interface DownloadParts {
  settings: FetchSettings;
  staging: Staging;
  folder: string;
  limits: AdapterLimits;
}

async function download(
  options: Omit<DownloadAdapterOptions, 'allowFileUrls' | 'path'>,
  source: string,
  fetchFiles: (parts: DownloadParts) => Promise<void>,
): Promise<DownloadedAdapter> {
  const { server, overwrite = false, baseModel, timeoutMs = 6 * 3_600_000 } = options;
  const destination = path.resolve(options.destination);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  if (!overwrite) await checkDestination(destination);
  await mkdir(path.dirname(destination), { recursive: true });

  const deadline = AbortSignal.timeout(timeoutMs);
  const settings: FetchSettings = {
    server,
    idleMs: options.idleMs ?? 60_000,
    attempts: options.attempts ?? 5,
    maxBytes: limits.downloadBytes,
    signal: options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline]),
    sleep: options.sleep,
    random: options.random,
    onProgress: options.onProgress,
  };
  const staging = await openStaging({
    destination,
    source,
    ...(options.now === undefined ? {} : { now: options.now }),
  });
  try {
    if (overwrite) await recoverReplaced(destination);
    const folder = await staging.makeFolder();
    await fetchFiles({ settings, staging, folder, limits });
    const adapter = await finishAdapterFolder({ directory: folder, baseModel });
    await putInPlace({ folder, destination, overwrite });
    await staging.remove();
    return { ...adapter, directory: destination };
  } catch (error) {
    // What was downloaded stays for the next call; unpacked folders are cheap to make again.
    await staging.release();
    if (deadline.aborted && options.signal?.aborted !== true) {
      const message = `The download of ${source} took longer than ${timeoutMs} ms.`;
      throw new WeightsError({ reason: 'transport', message, cause: error });
    }
    if (options.signal?.aborted === true && !WeightsError.isInstance(error)) {
      const message = 'The download was abandoned by its caller.';
      throw new WeightsError({ reason: 'abandoned', message, cause: error });
    }
    throw error;
  }
}
