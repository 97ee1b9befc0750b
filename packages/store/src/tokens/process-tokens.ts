import { databaseClock } from '../database/database-clock.ts';
import type { Store } from '../database/store.ts';
import { StaleWriteError } from '../errors/stale-write-error.ts';
import { createToken, type CreatedToken } from './create-token.ts';

export interface ProcessTokenKey {
  store: Store;
  tenantId: string;
  /** The name of the run. */
  run: string;
  role: string;
  /** One for each start of the process. */
  instanceId: string;
}

const nameOf = ({ role, instanceId }: Pick<ProcessTokenKey, 'instanceId' | 'role'>): string => `${role}/${instanceId}`;

/**
 * Makes the token of one start of one process. It is good for a while and has to be renewed; if we die after the commit
 * nobody holds it, and it ends by itself or with the next start of that process.
 */
export async function createProcessToken(
  options: ProcessTokenKey & { scopes: readonly string[]; lifetimeMs: number },
): Promise<CreatedToken> {
  const { store, tenantId, run, scopes, lifetimeMs } = options;
  const expiresAt = (await store.now()) + lifetimeMs;
  return await createToken({ store, tenantId, run, scopes, expiresAt, kind: 'process', name: nameOf(options) });
}

/** Lets it live longer, from now on; one that has run out lives again. False when it was ended. */
export async function renewProcessToken(options: ProcessTokenKey & { lifetimeMs: number }): Promise<boolean> {
  const { store, tenantId, run, lifetimeMs } = options;
  const now = databaseClock(store.dialect);
  const query = store.db
    .updateTable('tokens')
    .set((eb) => ({ expires_at: eb(now, '+', lifetimeMs) }))
    .where('tenant_id', '=', tenantId)
    .where('run', '=', run)
    .where('kind', '=', 'process')
    .where('name', '=', nameOf(options))
    .where('revoked_at', 'is', null)
    .compile();
  try {
    await store.commit({ statements: [{ query, expectRows: 1 }] });
    return true;
  } catch (error) {
    if (StaleWriteError.isInstance(error)) return false;
    throw error;
  }
}

/**
 * Ends the tokens that processes of a run had: of one role all but those of the start that is under way, or of the whole
 * run. They are removed, not marked: nothing but the process ever held them, and a run that restarts often would fill
 * the table. The history of the run names their ids.
 */
export async function endProcessTokens(
  options: Pick<ProcessTokenKey, 'run' | 'store' | 'tenantId'> & {
    role?: string | undefined;
    exceptInstanceId?: string | null | undefined;
  },
): Promise<void> {
  const { store, tenantId, run, role, exceptInstanceId } = options;
  let query = store.db
    .deleteFrom('tokens')
    .where('tenant_id', '=', tenantId)
    .where('run', '=', run)
    .where('kind', '=', 'process');
  if (role !== undefined) {
    query = query.where('name', 'like', `${role}/%`);
    if (exceptInstanceId !== null && exceptInstanceId !== undefined)
      query = query.where('name', '!=', nameOf({ role, instanceId: exceptInstanceId }));
  }
  await store.commit({ statements: [{ query: query.compile() }] });
}
