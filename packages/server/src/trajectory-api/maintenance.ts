import { expireReceipts, loseReceiptsOf } from './queue/accept-groups.ts';
import { setEnvironmentConnected, SILENT } from './queue/environments.ts';
import { expireLeases, reclaimSending } from './queue/hand-out-batch.ts';
import type { OpenRun } from './run-directory.ts';

export interface MaintenanceOptions {
  silentMs: number;
  /** False in strict runs: the original never disconnects anybody. */
  disconnectsSilent: boolean;
  monotonic: () => number;
  /** Whether a server that shares the runs lives no more; absent where one is alone. */
  isGone?: ((server: string) => boolean) | undefined;
}

/** What time alone brings about: leases end, receipts age, environments fall silent. */
export async function runMaintenance(run: OpenRun, options: MaintenanceOptions): Promise<void> {
  const state = run.queue.cached;
  // What time brings about is the owner's to write.
  if (state === null || state.version === 0 || run.owner?.isHere === false) return;
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
    if (options.isGone !== undefined) {
      const { isGone } = options;
      // What is being sent is the server's under a name for each reply.
      reclaimSending(transaction, (owner) => isGone(owner.slice(0, Math.max(0, owner.lastIndexOf(' ')))));
      loseReceiptsOf(transaction, isGone);
    }
    if (!hasSilent) return;
    for (const { ordinal } of silent) {
      const environment = transaction.state.environments[ordinal];
      if (environment !== undefined)
        setEnvironmentConnected(transaction, environment, { connected: false, reason: SILENT });
    }
  });
}
