import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { fetchAdapterFiles } from './fetch-adapter-files.ts';
import type { AdapterLimits } from './fetch-adapter-files.ts';
import type { FetchSettings } from './fetch-to-file.ts';
import { finishAdapterFolder } from './finish-adapter-folder.ts';
import type { FinishedAdapter } from './finish-adapter-folder.ts';
import { checkDestination, putInPlace, recoverReplaced } from './put-in-place.ts';
import { openStaging } from './staging.ts';
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
export async function downloadAdapter(options: DownloadAdapterOptions): Promise<DownloadedAdapter> {
  const { server, overwrite = false, allowFileUrls = false, baseModel, timeoutMs = 6 * 3_600_000 } = options;
  const source = parseTinkerPath(options.path);
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
    source: formatTinkerPath(source),
    ...(options.now === undefined ? {} : { now: options.now }),
  });
  try {
    if (overwrite) await recoverReplaced(destination);
    const folder = await staging.makeFolder();
    await fetchAdapterFiles({ settings, path: source, staging, folder, limits, allowFileUrls });
    const adapter = await finishAdapterFolder({ directory: folder, baseModel });
    await putInPlace({ folder, destination, overwrite });
    await staging.remove();
    return { ...adapter, directory: destination };
  } catch (error) {
    // What was downloaded stays for the next call; unpacked folders are cheap to make again.
    await staging.release();
    if (deadline.aborted && options.signal?.aborted !== true) {
      const message = `The download of ${formatTinkerPath(source)} took longer than ${timeoutMs} ms.`;
      throw new WeightsError({ reason: 'transport', message, cause: error });
    }
    if (options.signal?.aborted === true && !WeightsError.isInstance(error)) {
      const message = 'The download was abandoned by its caller.';
      throw new WeightsError({ reason: 'abandoned', message, cause: error });
    }
    throw error;
  }
}
