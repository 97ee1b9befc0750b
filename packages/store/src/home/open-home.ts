import { homePaths } from '@lachesis/protocol/home';
import { collectOrphans, type OrphanReport } from '../blobs/collect-orphans.ts';
import { collectDrafts } from '../datasets/collect-drafts.ts';
import { collectUnreferenced } from '../blobs/collect-unreferenced.ts';
import { isBlobKnown, isBlobReferenced } from '../blobs/blob-references.ts';
import type { CollectableBlobs, LibraryBlobs } from '../blobs/blob-store.ts';
import { openBlobs, type OpenBlobsOptions } from '../blobs/open-blobs.ts';
import { openStore, type OpenStoreOptions } from '../database/open-store.ts';
import type { Store } from '../database/store.ts';
import { checkLibrary, claimLibrary } from './claim-library.ts';
import { findBlobsPlace } from './find-blobs-place.ts';
import { listOutboxes, type HomeOutbox } from './outboxes.ts';

type HomePaths = ReturnType<typeof homePaths>;

export interface OpenHomeBlobsOptions {
  store: Store;
  /** The folder that holds `blobs`, where no other place is named. */
  home: string;
  /** Where `LACHESIS_BLOBS` is read, and the keys of an object store. Default: those of the process. */
  env?: OpenBlobsOptions['env'];
  /** A part that a test replaces. */
  claimLibrary?: typeof claimLibrary;
}

/** The payloads of a home that a server has claimed. */
export interface HomeBlobs {
  readonly blobs: LibraryBlobs;
  /** Of the payloads; what a worker thread needs to open them: see `openLibraryBlobs`. */
  readonly libraryId: string;
  /** The folder for what was fetched from afar; also what a worker thread needs. */
  readonly cache: string | undefined;
}

/**
 * Opens the payloads of a database, for a server: it leaves a sign of its opening there. Refused with a StrangeBlobsError
 * when those in the home are not the ones of the database: whoever collects orphans there would remove what another
 * database has acknowledged.
 */
export async function openHomeBlobs(options: OpenHomeBlobsOptions): Promise<HomeBlobs> {
  const { store, home, env, claimLibrary: claim = claimLibrary } = options;
  const found = findBlobsPlace(homePaths(home), env);
  const blobs = await openBlobs(found);
  const { libraryId } = await claim({ store, blobs, isServer: true });
  return { blobs, libraryId, cache: found.cache };
}

/** The folder, and the database if it is not the SQLite file in it. */
export interface OpenHomeOptions extends Omit<OpenStoreOptions, 'databaseUrl' | 'sqlitePath'> {
  /** The folder with the payloads, and with the SQLite file when there is no `databaseUrl`. */
  home: string;
  databaseUrl?: string | undefined;
  /** Where `LACHESIS_BLOBS` is read, and the keys of an object store. Default: those of the process. */
  env?: OpenBlobsOptions['env'];
  /** Parts that a test replaces. */
  openStore?: typeof openStore | undefined;
  claimLibrary?: typeof claimLibrary | undefined;
}

/** A database, the payloads that belong to it, and everything else that lies in the folder. */
export interface Home extends AsyncDisposable {
  readonly paths: HomePaths;
  readonly store: Store;
  /** Looked at when the first of them is needed: who asks for rows only, or works on another machine, needs none. */
  readonly blobs: CollectableBlobs;
  /**
   * The payloads for a server, which claims them before it serves and leaves a sign of its opening there. Refused with a
   * StrangeBlobsError when those in the home are not the ones of the database.
   */
  serveBlobs(): Promise<HomeBlobs>;
  /** What recorders have left. */
  listOutboxes(): Promise<HomeOutbox[]>;
  close(): Promise<void>;
}

/** Opens a home: the database that was named, or SQLite in its folder, and what lies beside it. */
export async function openHome(options: OpenHomeOptions): Promise<Home> {
  const { home, databaseUrl, env, openStore: open = openStore, claimLibrary: claim = claimLibrary, ...rest } = options;
  const paths = homePaths(home);
  // Before the database is touched: a place that cannot be used is a mistake of who started us.
  const payloads = await openBlobs(findBlobsPlace(paths, env));
  const store = await open({
    ...rest,
    ...(databaseUrl === undefined ? { sqlitePath: paths.database } : { databaseUrl }),
  });
  const close = (): Promise<void> => store.close();
  return {
    paths,
    store,
    blobs: openWhenNeeded(store, payloads),
    serveBlobs: () => openHomeBlobs({ store, home, env, claimLibrary: claim }),
    listOutboxes: () => listOutboxes(home),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function openWhenNeeded(store: Store, blobs: LibraryBlobs): CollectableBlobs {
  let claimed: Promise<unknown> | undefined;
  const claim = async (): Promise<CollectableBlobs> => {
    claimed ??= claimLibrary({ store, blobs, isServer: false });
    try {
      await claimed;
      return blobs;
    } catch (error) {
      claimed = undefined;
      throw error;
    }
  };
  return {
    put: async (digest, bytes) => (await claim()).put(digest, bytes),
    get: async (digest) => (await claim()).get(digest),
    remove: async (digest) => (await claim()).remove(digest),
    removeIfOlder: async (digest, modifiedBeforeMs) => (await claim()).removeIfOlder(digest, modifiedBeforeMs),
    removeLeftovers: async (modifiedBeforeMs, isReferenced) =>
      (await claim()).removeLeftovers(modifiedBeforeMs, isReferenced),
    async *list() {
      yield* (await claim()).list();
    },
  };
}

/** The home whose unreferenced payloads are removed, and how old they must be. */
export interface CollectHomeOrphansOptions {
  home: { store: Store; blobs: LibraryBlobs };
  graceMs?: number;
  now?: () => number;
  /** Says what would be removed, and removes nothing. */
  isDryRun?: boolean;
  /** A part that a test replaces. */
  checkLibrary?: typeof checkLibrary;
}

/** Removes payloads whose last reference was given up, as rows say, once it is sure that the folder is still the one of this database. */
export async function collectHomeUnreferenced(
  options: Pick<CollectHomeOrphansOptions, 'home' | 'now' | 'checkLibrary'> & { graceMs: number },
): Promise<OrphanReport> {
  const { home, checkLibrary: check = checkLibrary, ...rest } = options;
  await check(home);
  return await collectUnreferenced({ ...rest, ...home });
}

/** Removes payloads that no row refers to, once it is sure that the folder is still the one of this database. */
export async function collectHomeOrphans(options: CollectHomeOrphansOptions): Promise<OrphanReport> {
  const { home, checkLibrary: check = checkLibrary, ...rest } = options;
  const { store, blobs } = home;
  const { adoptedAtMs } = await check({ store, blobs });
  if (options.isDryRun !== true) await collectDrafts({ store, blobs });
  return await collectOrphans({
    ...rest,
    blobs,
    isReferenced: (digest) => isBlobReferenced({ store, digest }),
    isStrange: async ({ digest, modifiedAtMs }) =>
      adoptedAtMs !== null && modifiedAtMs < adoptedAtMs && !(await isBlobKnown({ store, digest })),
  });
}
