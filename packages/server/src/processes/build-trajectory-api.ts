import { createIdSource } from '@lachesis/protocol';
import { openStore, type claimLibrary, type HomeBlobs, type Store } from '@lachesis/store';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { createTrajectoryApi, type TrajectoryApi } from '../loop/trajectory-api/create-trajectory-api.ts';
import { DatabaseClock } from '../loop/trajectory-api/database-clock.ts';
import { DiskGuard } from '../loop/trajectory-api/disk-guard.ts';
import { createIngestPool } from '../loop/trajectory-api/ingest/ingest-pool.ts';
import { createIdempotencyIndex, type IdempotencyIndex } from '../loop/trajectory-api/native/idempotency-index.ts';
import { DEFAULT_RULES, type QueueRules } from '../loop/trajectory-api/queue/turn.ts';
import { RunDirectory } from '../loop/trajectory-api/run-directory.ts';
import type { QueuePersistence } from '../loop/trajectory-api/run-queue.ts';
import { createStorePersistence } from '../loop/trajectory-api/store-persistence.ts';
import { TrajectoryMetrics } from '../loop/trajectory-api/trajectory-metrics.ts';
import type { AuditSink } from '../platform/audit/audit-sink.ts';
import { openAuditLog } from '../platform/audit/open-audit-log.ts';
import type { TrajectoryApiSettings } from '../platform/settings/trajectory-api-settings.ts';
import { openServerHome } from './open-server-home.ts';
import { startOrphanCollection } from './orphan-collection.ts';

/** Parts that a caller may put in place of the real ones; each gets the real one to wrap. */
export interface TrajectoryApiReplacements {
  openStore?: (real: typeof openStore) => typeof openStore;
  claimLibrary?: typeof claimLibrary;
  persistence?: (real: QueuePersistence) => QueuePersistence;
  idempotency?: (real: IdempotencyIndex) => IdempotencyIndex;
  rules?: (real: QueueRules) => QueueRules;
  audit?: (real: AuditSink) => AuditSink;
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
  const { store, blobs, libraryId } = home;
  await blobs.prepare();
  const audit = await openAuditLog({ store, home: settings.home, by: 'trajectory-api', log });
  const ids = createIdSource();
  const nextId = (): string => ids.next();
  const monotonic = (): number => performance.now();
  const clock = new DatabaseClock({ monotonic });
  const rules: QueueRules = { ...DEFAULT_RULES, deviates: !settings.strictAtropos };
  const persistence = createStorePersistence(store, clock);
  const idempotency = createIdempotencyIndex(store);
  const runs = new RunDirectory({
    persistence: replace.persistence?.(persistence) ?? persistence,
    rules: replace.rules?.(rules) ?? rules,
    clock,
    nextId,
    instanceId,
    monotonic,
  });
  const pool = createIngestPool({ size: settings.ingestWorkers, blobPlace: blobs.place, libraryId });
  const registry = new Registry();
  const api = createTrajectoryApi(
    {
      runs,
      pool,
      store,
      idempotency: replace.idempotency?.(idempotency) ?? idempotency,
      settings,
      metrics: new TrajectoryMetrics(registry, () => runs.all()),
      diskGuard: new DiskGuard({ readFree: () => blobs.readFree(), reserve: settings.diskReserve, monotonic }),
      audit: replace.audit?.(audit) ?? audit,
      log,
      nextId,
      instanceId,
      monotonic,
    },
    registry,
  );
  await api.app.ready();
  const orphans = startOrphanCollection({ home, log });
  return {
    ...api,
    async close() {
      orphans.stop();
      await api.stop();
      await api.app.close();
      await pool.close();
      await audit.close();
      await store.close();
    },
  };
}
