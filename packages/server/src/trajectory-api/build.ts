import { createIdSource } from '@lachesis/protocol';
import { type Home, openStore, type claimLibrary, type Store } from '@lachesis/store';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { createTrajectoryApi, type TrajectoryApi } from './create-trajectory-api.ts';
import { DatabaseClock } from './database-clock.ts';
import { DiskGuard } from './disk-guard.ts';
import { createIngestPool, type IngestPool } from './ingest/ingest-pool.ts';
import { createIdempotencyIndex, type IdempotencyIndex } from './native/idempotency-index.ts';
import { DEFAULT_RULES, type QueueRules } from './queue/transaction.ts';
import { createAsk, toContext } from './commands/ask.ts';
import { ReplicaServer } from './replicas/replica-server.ts';
import { Replicas } from './replicas/replicas.ts';
import { RunDirectory } from './run-directory.ts';
import type { QueuePersistence } from './run-queue.ts';
import { createStorePersistence } from './store-persistence.ts';
import { TrajectoryMetrics } from './metrics.ts';
import type { AuditSink } from '../http/audit/audit-sink.ts';
import { openAuditLog } from '../http/audit/open-audit-log.ts';
import type { TrajectoryApiSettings } from '../http/settings/trajectory-api-settings.ts';
import { openServerHome } from '../process/open-server-home.ts';
import { startOrphanCollection } from './orphan-collection.ts';

type HomeBlobs = Awaited<ReturnType<Home['serveBlobs']>>;

/** Parts that a caller may put in place of the real ones; each gets the real one to wrap. */
export interface TrajectoryApiReplacements {
  openStore?: (real: typeof openStore) => typeof openStore;
  claimLibrary?: typeof claimLibrary;
  persistence?: (real: QueuePersistence) => QueuePersistence;
  idempotency?: (real: IdempotencyIndex) => IdempotencyIndex;
  rules?: (real: QueueRules) => QueueRules;
  audit?: (real: AuditSink) => AuditSink;
  pool?: (real: IngestPool) => IngestPool;
  /** How long a silent server keeps its runs. */
  replicaLeaseSeconds?: number;
}

export interface BuiltTrajectoryApi extends TrajectoryApi {
  /** Lets go of everything: requests must have ended before. */
  close(): Promise<void>;
}

export interface BuildTrajectoryApiOptions {
  settings: TrajectoryApiSettings;
  log: Logger;
  instanceId: string;
  replace?: TrajectoryApiReplacements;
}

type OpenedHome = HomeBlobs & { store: Store };

/** Joins the real parts of the trajectory API: store, blobs, workers, queue, HTTP. */
export async function buildTrajectoryApi(options: BuildTrajectoryApiOptions): Promise<BuiltTrajectoryApi> {
  const { settings, log, replace = {} } = options;
  const home = await openServerHome({
    ...{ settings, log },
    replace: { openStore: replace.openStore?.(openStore), claimLibrary: replace.claimLibrary },
  });
  try {
    return await joinParts(options, { store: home.store, ...(await home.serveBlobs()) });
  } catch (error) {
    await home.close();
    throw error;
  }
}

async function joinParts(options: BuildTrajectoryApiOptions, home: OpenedHome): Promise<BuiltTrajectoryApi> {
  const { settings, log, instanceId, replace = {} } = options;
  const { store, blobs, libraryId, cache: blobCache } = home;
  await blobs.prepare();
  const audit = await openAuditLog({ store, home: settings.home, by: 'trajectory-api', log });
  const ids = createIdSource();
  const nextId = (): string => ids.next();
  const monotonic = (): number => performance.now();
  const clock = new DatabaseClock({ monotonic });
  const rules: QueueRules = { ...DEFAULT_RULES, deviates: !settings.strictAtropos };
  const persistence = createStorePersistence(store, clock);
  const idempotency = createIdempotencyIndex(store);
  const { replicaAddress } = settings;
  const replicas =
    replicaAddress === undefined || store.dialect !== 'postgres'
      ? null
      : new Replicas({
          store,
          address: replicaAddress,
          life: nextId(),
          log,
          monotonic,
          leaseSeconds: replace.replicaLeaseSeconds,
        });
  const runs = new RunDirectory({
    persistence: replace.persistence?.(persistence) ?? persistence,
    rules: replace.rules?.(rules) ?? rules,
    clock,
    nextId,
    instanceId,
    replicas,
    monotonic,
  });
  const ask = { runs, settings, monotonic, nextId, replicas };
  const pool = createIngestPool({
    ...{ size: settings.ingestWorkers, jobsPerWorker: blobs.putsAtOnce },
    ...{ blobPlace: blobs.place, blobCache, libraryId },
  });
  const registry = new Registry();
  const api = createTrajectoryApi(
    {
      runs,
      ask: createAsk(ask),
      replica: replicas?.name ?? null,
      isGone: replicas === null ? undefined : (server) => replicas.isGone(server),
      pool: replace.pool?.(pool) ?? pool,
      store,
      idempotency: replace.idempotency?.(idempotency) ?? idempotency,
      settings,
      metrics: new TrajectoryMetrics(registry, () => runs.all()),
      diskGuard: new DiskGuard({ readFree: () => blobs.readFree(), reserve: settings.diskReserve, monotonic }),
      audit: replace.audit?.(audit) ?? audit,
      log,
      nextId,
      instanceId: replicas?.name ?? instanceId,
      monotonic,
    },
    registry,
  );
  await api.app.ready();
  const orphans = startOrphanCollection({ home, log });
  const listener =
    replicas === null || replicaAddress === undefined
      ? null
      : new ReplicaServer({
          ...{ store, address: replicaAddress, name: replicas.name, log, monotonic },
          contextOf: ({ tenantId, runName }) => toContext(ask, { principal: { tenantId }, runName }),
          hear: (replica) => replicas.hear(replica),
        });
  await listener?.listen();
  await replicas?.start();
  return {
    ...api,
    async close() {
      orphans.stop();
      await api.stop();
      await api.app.close();
      await listener?.close();
      await replicas?.close();
      await pool.close();
      await audit.close();
      await store.close();
    },
  };
}
