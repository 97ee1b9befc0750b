import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readHubSettings } from '../../hub/read-hub-settings.ts';
import { RenderError } from '../errors/render-error.ts';

/** The files of one model, wherever they are. */
export interface ModelFiles {
  /** For error messages. */
  readonly place: string;
  /** The text of a file, or undefined when there is none of that name. */
  read(name: string): Promise<string | undefined>;
  /** Names in a folder; empty when there is none or when the place cannot list. */
  list(folder: string): Promise<readonly string[]>;
}

export interface HubCacheEntry {
  /** Owner and name, as in `Qwen/Qwen3-8B`. */
  readonly repository: string;
  /** A branch, a tag or a commit. */
  readonly revision?: string;
  /** Default: `HF_HUB_CACHE`, else `HF_HOME/hub`, else `~/.cache/huggingface/hub`. */
  readonly cacheDirectory?: string;
}

/** The largest tokenizer we know of has 33 MB. */
const DOWNLOAD_LIMIT_BYTES = 256 * 1024 * 1024;

export function openDirectory(directory: string): ModelFiles {
  return {
    place: directory,
    read: (name) => absentAs(undefined, () => readFile(join(directory, name), 'utf8')),
    list: (folder) => absentAs([], () => readdir(join(directory, folder))),
  };
}

/** Finds the folder that `huggingface_hub` downloaded to. */
export async function openHubCache(entry: HubCacheEntry, env: NodeJS.ProcessEnv): Promise<ModelFiles> {
  const { cacheDirectory } = await readHubSettings(env, entry);
  const folder = join(cacheDirectory, `models--${entry.repository.replaceAll('/', '--')}`);
  const revision = entry.revision ?? 'main';
  const commit = await absentAs(revision, async () => (await readFile(join(folder, 'refs', revision), 'utf8')).trim());
  return openDirectory(join(folder, 'snapshots', commit));
}

export function openUrl(options: { url: string; fetch: typeof fetch; timeoutMs: number }): ModelFiles {
  const base = options.url.endsWith('/') ? options.url : `${options.url}/`;
  return {
    place: base,
    async read(name) {
      const response = await options.fetch(new URL(name, base), { signal: AbortSignal.timeout(options.timeoutMs) });
      if (response.status === 404) return undefined;
      const length = Number(response.headers.get('content-length') ?? 0);
      if (!response.ok || length > DOWNLOAD_LIMIT_BYTES) {
        throw new RenderError({
          kind: 'missing-file',
          reason: `${name} was not served from ${base}: status ${response.status}, ${length} bytes.`,
        });
      }
      return response.text();
    },
    list: () => Promise.resolve([]),
  };
}

async function absentAs<T>(absent: T, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return absent;
    throw error;
  }
}
