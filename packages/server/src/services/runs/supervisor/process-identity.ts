import type { RunRole } from '@lachesis/protocol';
import { createProcessToken, endProcessTokens, renewProcessToken, type TrainingRun } from '@lachesis/store';
import type { HeldRun } from './held-run.ts';
import type { ProcessIdentity } from './run-plan.ts';
import type { SupervisorDeps } from './deps.ts';

interface Place {
  deps: SupervisorDeps;
  /** Tokens are made and ended only by who holds the run. */
  held: HeldRun;
  run: TrainingRun;
  role: RunRole;
}

const keyOf = ({ held, run, role }: Place) => ({
  ...{ store: held.store, tenantId: run.tenantId, run: run.shortId },
  role,
});

/** Makes the token of a process that is about to start. Those of earlier starts of it end with that. */
export async function mintIdentity(
  options: Place & { identity: ProcessIdentity | undefined; instanceId: string },
): Promise<{ tokenId: string | null; variables: Record<string, string> }> {
  const { deps, identity, instanceId } = options;
  const key = keyOf(options);
  await endProcessTokens({ ...key, exceptInstanceId: instanceId });
  if (identity === undefined) return { tokenId: null, variables: {} };
  const lifetimeMs = deps.times.tokenSeconds * 1000;
  const { token, tokenId } = await createProcessToken({ ...key, instanceId, scopes: identity.scopes, lifetimeMs });
  return { tokenId, variables: Object.fromEntries(identity.variables.map((name) => [name, token])) };
}

/** For as long as its process is seen to live. Whoever adopts a process renews at once: nobody knows how long ago it was. */
export async function renewIdentity(
  options: Place & { identity: ProcessIdentity | undefined; instanceId: string | null },
): Promise<void> {
  const { deps, held, identity, instanceId, run, role } = options;
  if (identity === undefined || instanceId === null) return;
  const lifetimeMs = deps.times.tokenSeconds * 1000;
  const now = deps.monotonic();
  const last = held.tokenRenewedAt.get(instanceId);
  if (last !== undefined && now - last < lifetimeMs / RENEWALS) return;
  held.tokenRenewedAt.set(instanceId, now);
  if (await renewProcessToken({ ...keyOf(options), instanceId, lifetimeMs })) return;
  deps.say('the token of a process was ended, and is not made again until the process is started again', {
    ...{ run: run.shortId, role },
  });
}

/** Several within a lifetime: one that fails, or a supervisor that is away for a while, ends nothing. */
const RENEWALS = 6;

/** A process that has ended proves nothing any more; without a role those of all processes of the run end. */
export async function endIdentities({
  held,
  run,
  role,
}: Pick<Place, 'held' | 'run'> & { role?: RunRole | undefined }): Promise<void> {
  await endProcessTokens({ store: held.store, tenantId: run.tenantId, run: run.shortId, role });
}
