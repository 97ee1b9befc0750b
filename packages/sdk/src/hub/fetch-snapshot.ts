import type { PathInfo } from '@huggingface/hub';
import { mkdir, readFile, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { downloadBlob, type HubProgress } from './download-blob.ts';
import { HubError } from './hub-error.ts';
import { readHubSettings, type HubSettings } from './read-hub-settings.ts';
import { createHubFetch, describeHubFailure } from './send-to-hub.ts';

export interface FetchSnapshotOptions {
  /** Owner and name, as in `Qwen/Qwen3-8B`. */
  readonly repository: string;
  readonly type?: 'dataset' | 'model';
  /** A branch, a tag or a commit; default `main`. */
  readonly revision?: string | undefined;
  /** The files that are wanted; those that the repository does not have are passed over. */
  readonly paths?: readonly string[];
  /** Must be there. */
  readonly required?: string;
  /** In place of both: which files of all that there are, or why none. */
  readonly choose?: ChooseFiles;
  /** Folders whose files are wanted too, one level deep. */
  readonly folders?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cacheDirectory?: string | undefined;
  readonly fetch?: typeof fetch;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: HubProgress) => void;
  /** False: a hub that does not answer at once is not asked again. */
  readonly isPatient?: boolean;
  /** Pauses between attempts; for tests. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Chooses among the files of a snapshot; may read small ones first. */
export type ChooseFiles = (
  files: readonly string[],
  readText: (path: string) => Promise<string>,
) => Promise<readonly string[] | { readonly refusal: string }>;

const COMMIT = /^[0-9a-f]{40}$/;
const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,95}(?:\/[A-Za-z0-9][A-Za-z0-9._-]{0,95})?$/;

/** Whether a word can be the name of a repository: a path of this machine cannot. */
export const isRepositoryName = (word: string): boolean => REPOSITORY.test(word) && !word.includes('..');

/**
 * Brings files of a repository into the cache that `huggingface_hub` uses, and gives the folder of the snapshot. What is
 * there is kept; what was cut off is gone on with; what does not have the announced hash is thrown away.
 */
export async function fetchSnapshot(options: FetchSnapshotOptions): Promise<string> {
  const { repository, type = 'model', revision = 'main', env = process.env } = options;
  const settings = await readHubSettings(env, options);
  const folder = join(settings.cacheDirectory, `${type}s--${repository.replaceAll('/', '--')}`);
  const cached = await findCached(folder, revision, options);
  if (cached !== undefined) return cached;
  if (!isRepositoryName(repository)) {
    throw new HubError({
      ...{ kind: 'not-found', repository },
      reason: `${JSON.stringify(repository)} is neither a folder here nor the name of a ${type} on a hub.`,
      hint: 'Give the path of a folder, or owner/name.',
    });
  }
  if (settings.isOffline) {
    throw new HubError({
      ...{ kind: 'offline', repository },
      reason: `${repository} is not in ${settings.cacheDirectory}, and HF_HUB_OFFLINE forbids to fetch it.`,
      hint: `Unset HF_HUB_OFFLINE, or copy the folder ${folder} from a machine that has it.`,
    });
  }
  try {
    return await fetchInto(folder, settings, options);
  } catch (error) {
    throw describeHubFailure(error, { repository, settings });
  }
}

/** A snapshot that has what is required; what else is missing in it was missing on the hub. */
async function findCached(
  folder: string,
  revision: string,
  { required, choose }: FetchSnapshotOptions,
): Promise<string | undefined> {
  const commit = COMMIT.test(revision) ? revision : await readText(join(folder, 'refs', revision));
  if (commit === undefined) return undefined;
  const snapshot = join(folder, 'snapshots', commit.trim());
  if (required !== undefined) return (await exists(join(snapshot, required))) ? snapshot : undefined;
  const files = await listLocal(snapshot);
  const chosen = await choose?.(files, (path) => readFile(join(snapshot, path), 'utf8'));
  return chosen !== undefined && 'length' in chosen && isWhole(chosen) ? snapshot : undefined;
}

async function listLocal(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

/** Another program may have brought one part of several (`-00000-of-00002`). */
function isWhole(files: readonly string[]): boolean {
  const parts = files.map((file) => /^(.*)-\d+-of-(\d+)/.exec(file)).filter((match) => match !== null);
  return (
    files.length > 0 &&
    parts.every(([, name, count]) => parts.filter((other) => other[1] === name).length === Number(count))
  );
}

async function fetchInto(folder: string, settings: HubSettings, options: FetchSnapshotOptions): Promise<string> {
  const { repository, type = 'model', revision = 'main', signal = new AbortController().signal } = options;
  // Loaded here: who has everything in the cache needs none of it.
  const hub = await import('@huggingface/hub');
  const call = {
    repo: { type, name: repository } as const,
    hubUrl: settings.url,
    fetch: createHubFetch({ ...options, signal, attempts: options.isPatient === false ? 1 : undefined }),
    ...(settings.token === undefined ? {} : { accessToken: settings.token }),
  };
  const asked = { ...call, name: repository, revision, additionalFields: ['sha'] as ['sha'] };
  const { sha } = type === 'model' ? await hub.modelInfo(asked) : await hub.datasetInfo(asked);
  if (!COMMIT.test(sha)) throw new Error(`the hub names the commit ${JSON.stringify(sha)}`);

  const snapshot = join(folder, 'snapshots', sha);
  const bring = (info: PathInfo): Promise<string> =>
    downloadBlob({
      ...{ info, repository, signal, onProgress: options.onProgress, sleep: options.sleep },
      directory: join(folder, 'blobs'),
      open: () => hub.downloadFile({ ...call, revision: sha, path: info.path }),
    });
  const readText = async (path: string): Promise<string> => {
    const [info] = await hub.pathsInfo({ ...call, revision: sha, paths: [path] });
    if (info === undefined) throw new Error(`the hub lists ${path} and does not have it`);
    const blob = await bring(info);
    await link(blob, join(snapshot, path));
    return readFile(blob, 'utf8');
  };
  const paths = [...(options.paths ?? [])];
  if (options.choose !== undefined) {
    const all: string[] = [];
    for await (const file of hub.listFiles({ ...call, revision: sha, recursive: true })) {
      if (file.type === 'file') all.push(file.path);
    }
    const chosen = await options.choose(all, readText);
    if ('refusal' in chosen) {
      throw new HubError({
        ...{ kind: 'not-found', repository },
        reason: `${repository} at ${revision} cannot be read: ${chosen.refusal}.`,
        hint: 'Name another split or part, another data set, or a file of this machine.',
      });
    }
    paths.push(...chosen);
  }
  for (const path of options.folders ?? []) {
    const found = hub.listFiles({ ...call, revision: sha, path });
    for await (const file of ignoreAbsent(found)) paths.push(file.path);
  }
  const listed = await hub.pathsInfo({ ...call, revision: sha, paths });
  if (options.required !== undefined && !listed.some(({ path }) => path === options.required)) {
    throw new HubError({
      ...{ kind: 'not-found', repository },
      reason: `${repository} at ${revision} has no ${options.required}.`,
      hint: 'Name another repository or revision, or a folder of this machine.',
    });
  }
  const brought: [blob: string, pointer: string][] = [];
  for (const info of listed) if (info.type === 'file') brought.push([await bring(info), join(snapshot, info.path)]);
  // All at the end: a split of which one file is there and another was cut off would be taken for whole.
  for (const [blob, pointer] of brought) await link(blob, pointer);
  // Last: whoever finds the reference finds every file. If we die before it, the next one only links.
  if (revision !== sha) await writeWhole(join(folder, 'refs', revision), sha);
  return snapshot;
}

/** As `huggingface_hub` does it: a link that can be moved with the folder. */
async function link(blob: string, pointer: string): Promise<void> {
  await mkdir(dirname(pointer), { recursive: true });
  await symlink(relative(dirname(pointer), blob), pointer).catch((error: NodeJS.ErrnoException) => {
    // Another process was quicker; the content is the same, since its name is its hash.
    if (error.code !== 'EEXIST') throw error;
  });
}

async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, text);
  await rename(draft, path);
}

/** A folder that is not there has no files. */
async function* ignoreAbsent<T>(files: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* files;
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode !== 404) throw error;
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
