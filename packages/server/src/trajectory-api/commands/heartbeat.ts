import { resolveEnvironment, setEnvironmentConnected, SILENT } from '../queue/environments.ts';
import type { OpenRun } from '../run-directory.ts';

/** Parts of the time after which an environment counts as silent: to one of them its row says when it was heard. */
const NOTES = 8;

/** Notes that an environment is alive, and takes it back in when it had been given up as silent. */
export async function recordHeartbeat(
  run: OpenRun,
  envId: number | null,
  { now, silentMs }: { now: number; silentMs: number | null },
): Promise<void> {
  const environment = run.queue.cached === null ? undefined : resolveEnvironment(run.queue.cached, envId);
  if (environment === undefined) return;
  const { ordinal } = environment;
  const before = run.heardAt.get(ordinal);
  run.heardAt.set(ordinal, now);
  const notedAt = run.notedAt.get(ordinal);
  if (silentMs !== null && before !== undefined && (notedAt === undefined || now - notedAt > silentMs / NOTES)) {
    run.notedAt.set(ordinal, now);
    run.queue.defer((transaction) => {
      const current = transaction.state.environments[ordinal];
      if (current === undefined) return;
      current.heardAt = transaction.now;
      transaction.changes.environmentWrites.set(ordinal, current);
      transaction.dirty = true;
    });
  }
  if (environment.connected || environment.disconnectReason !== SILENT) return;
  await run.queue.execute((transaction) => {
    const current = transaction.state.environments[ordinal];
    if (current !== undefined)
      setEnvironmentConnected(transaction, current, { connected: true, reason: 'heard again' });
  });
}
