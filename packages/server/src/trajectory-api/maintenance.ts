import { expireReceipts } from './queue/accept-groups.ts';
import { setEnvironmentConnected, SILENT } from './queue/environments.ts';
import { expireLeases } from './queue/hand-out-batch.ts';
import type { OpenRun } from './run-directory.ts';

export interface MaintenanceOptions {
  silentMs: number;
  /** False in strict runs: the original never disconnects anybody. */
  disconnectsSilent: boolean;
  monotonic: () => number;
}

/** What time alone brings about: leases end, receipts age, environments fall silent. */
export async function runMaintenance(run: OpenRun, options: MaintenanceOptions): Promise<void> {
  const state = run.queue.cached;
  if (state === null || state.version === 0) return;
  const now = options.monotonic();
  const silent = state.environments.filter(
    (environment) =>
      environment.connected && now - (run.heardAt.get(environment.ordinal) ?? run.openedAt) > options.silentMs,
  );
  const hasLeases = state.batches.some((batch) => batch.leaseExpiresAt !== null);
  const hasSilent = options.disconnectsSilent && silent.length > 0;
  if (!hasLeases && !hasSilent && state.receipts.size === 0) return;
  await run.queue.execute((transaction) => {
    expireLeases(transaction);
    expireReceipts(transaction);
    if (!hasSilent) return;
    for (const { ordinal } of silent) {
      const environment = transaction.state.environments[ordinal];
      if (environment !== undefined)
        setEnvironmentConnected(transaction, environment, { connected: false, reason: SILENT });
    }
  });
}
