import type { Store } from '@lachesis/store';
import type { Logger } from 'pino';
import type { AuditSink } from '../http/audit/audit-sink.ts';
import type { TrajectoryApiSettings } from '../http/settings/trajectory-api-settings.ts';
import type { DiskGuard } from './disk-guard.ts';
import type { IngestPool } from './ingest/ingest-pool.ts';
import type { IdempotencyIndex } from './native/idempotency-index.ts';
import type { Ask } from './commands/ask.ts';
import type { RunDirectory } from './run-directory.ts';
import type { TrajectoryMetrics } from './metrics.ts';

/** What the routes of the trajectory API work with. A process joins the real ones; a test may replace any. */
export interface TrajectoryApiDeps {
  runs: RunDirectory;
  /** Asks the run of a call something, wherever it is decided. */
  ask: Ask;
  /** This server's name among those that share the runs; null where it is alone. */
  replica: string | null;
  /** Whether a server that shares the runs lives no more. */
  isGone?: ((server: string) => boolean) | undefined;
  pool: IngestPool;
  store: Store;
  idempotency: IdempotencyIndex;
  settings: TrajectoryApiSettings;
  metrics: TrajectoryMetrics;
  diskGuard: DiskGuard;
  audit: AuditSink;
  log: Logger;
  nextId: () => string;
  instanceId: string;
  monotonic: () => number;
}
