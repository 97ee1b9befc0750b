import { databaseClock } from '../database/database-clock.ts';
import type { Store } from '../database/store.ts';
import { StaleWriteError } from '../errors/stale-write-error.ts';

export interface RunClaimOptions {
  store: Store;
  tenantId: string;
  runId: string;
  /** Who asks; another for each life of a process. */
  holder: string;
  /** How long the claim holds without being renewed, on the database's clock. */
  seconds: number;
  /** Whether a holder is known never to write again. */
  isGone?: ((holder: string) => boolean) | undefined;
}

/** The right to train a run alone. */
export interface RunClaim {
  /** False when it is somebody else's now: whoever hears that stops writing. */
  renew(): Promise<boolean>;
  /** Gives it back, so that the next one need not wait. */
  release(): Promise<void>;
}

const SCOPE = 'claim';

/** Takes the claim if nobody has it; otherwise says who does. A row of the settings holds it: its owner and its moment. */
export async function claimRun(options: RunClaimOptions): Promise<RunClaim | { heldBy: string }> {
  const { store, tenantId, runId, holder, seconds, isGone = () => false } = options;
  const now = databaseClock(store.dialect);
  const hand = ({ from, to }: { from: string; to: string }) =>
    store.db
      .updateTable('settings')
      .set({ origin: to, updated_at: now })
      .where('tenant_id', '=', tenantId)
      .where('scope', '=', SCOPE)
      .where('name', '=', runId)
      .where('origin', '=', from)
      .compile();
  const read = () =>
    store.db
      .selectFrom('settings')
      .select(['origin', 'updated_at'])
      .where('tenant_id', '=', tenantId)
      .where('scope', '=', SCOPE)
      .where('name', '=', runId)
      .executeTakeFirst();

  const found = await read();
  if (found === undefined) {
    const query = store.db
      .insertInto('settings')
      .values({ tenant_id: tenantId, scope: SCOPE, name: runId, value: 'null', origin: holder, updated_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .compile();
    await store.commit({ statements: [{ query }] });
  } else {
    const isFree =
      found.origin === '' || found.updated_at + seconds * 1000 <= (await store.now()) || isGone(found.origin);
    if (!isFree && found.origin !== holder) return { heldBy: found.origin };
    // Two that see the same claim end: the first to write takes it from the old owner, and the other finds no row.
    await store.commit({ statements: [{ query: hand({ from: found.origin, to: holder }) }] });
  }
  const owner = (await read())?.origin;
  if (owner !== holder) return { heldBy: owner ?? 'somebody' };
  return {
    async renew() {
      try {
        await store.commit({ statements: [{ query: hand({ from: holder, to: holder }), expectRows: 1 }] });
        return true;
      } catch (error) {
        if (StaleWriteError.isInstance(error)) return false;
        throw error;
      }
    },
    async release() {
      await store.commit({ statements: [{ query: hand({ from: holder, to: '' }) }] });
    },
  };
}
