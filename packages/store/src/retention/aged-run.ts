import type { Store } from '../database/store.ts';

/** A run, of which something is let go of that is older. */
export interface AgedRun {
  store: Store;
  tenantId: string;
  runId: string;
  /** Milliseconds since 1970. */
  olderThan: number;
  /** Says what would go, and lets go of nothing. */
  isDryRun: boolean;
}
