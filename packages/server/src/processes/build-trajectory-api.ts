import { createIdSource } from '@lachesis/protocol';
import { countTokens, openStore } from '@lachesis/store';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
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
import { findExposure } from '../platform/access/check-exposure.ts';
import { startOrphanCollection } from './orphan-collection.ts';
import { SettingError } from '../platform/settings/setting-error.ts';
import type { TrajectoryApiSettings } from '../platform/settings/trajectory-api-settings.ts';

/** Parts that a caller may put in place of the real ones; each gets the real one to wrap. */
export interface TrajectoryApiReplacements {
  openStore?: (real: typeof openStore) => typeof openStore;
  persistence?: (real: QueuePersistence) => QueuePersistence;
  idempotency?: (real: IdempotencyIndex) => IdempotencyIndex;
  rules?: (real: QueueRules) => QueueRules;
}

export interface BuiltTrajectoryApi extends TrajectoryApi {
  /** Lets go of everything: requests must have ended before. */
  close(): Promise<void>;
}

/** Joins the real parts of the trajectory API: store, blobs, workers, queue, HTTP. */
export async function buildTrajectoryApi(options: {
  settings: TrajectoryApiSettings;
  log: Logger;
  instanceId: string;
  replace?: TrajectoryApiReplacements;
}): Promise<BuiltTrajectoryApi> {
  const { settings, log, instanceId, replace = {} } = options;
  const blobDirectory = join(settings.home, 'blobs');
  await mkdir(blobDirectory, { recursive: true });
  const open = replace.openStore?.(openStore) ?? openStore;
  const store = await open({
    ...(settings.databaseUrl === undefined
      ? { sqlitePath: join(settings.home, 'lachesis.db') }
      : { databaseUrl: settings.databaseUrl }),
    onBackgroundError: (error) => log.warn({ err: error }, 'a database connection broke'),
  });
  const exposure = findExposure(settings.host, await countTokens({ store }));
  if (exposure !== null) {
    await store.close();
    throw new SettingError(exposure);
  }

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
  const pool = createIngestPool({ size: settings.ingestWorkers, blobDirectory });
  const registry = new Registry();
  const api = createTrajectoryApi(
    {
      runs,
      pool,
      store,
      idempotency: replace.idempotency?.(idempotency) ?? idempotency,
      settings,
      metrics: new TrajectoryMetrics(registry, () => runs.all()),
      diskGuard: new DiskGuard({ directory: blobDirectory, reserve: settings.diskReserve, monotonic }),
      log,
      nextId,
      instanceId,
      monotonic,
    },
    registry,
  );
  await api.app.ready();
  const orphans = startOrphanCollection({ store, directory: blobDirectory, log });
  return {
    ...api,
    async close() {
      orphans.stop();
      await api.stop();
      await api.app.close();
      await pool.close();
      await store.close();
    },
  };
}
