import type { WriteStatement } from '../database/store.ts';
import { CLOCK_SQL } from '../database/clock-sql.ts';
import { writeSql } from '../database/write-row.ts';
import { LeaseLostError } from '../errors/lease-lost-error.ts';
import { StoreConflictError } from '../errors/store-conflict-error.ts';
import { StaleWriteError } from '../errors/stale-write-error.ts';
import { leaseSql } from '../leases/lease-sql.ts';
import { readWorkTurns } from './read-work.ts';
import type { LeasedWork, JobRef } from './work-job.ts';
import { packValue } from './work-payload.ts';

/** A disk that is slow, or a machine that is busy, is no reason to lose a turn that was paid for. */
const COMMIT_DEADLINE_MS = 30_000;

/** What a holder writes about its item. A LeaseLostError from all of these: the item is somebody else's now, and nothing was written. */
export interface HeldWork extends JobRef {
  item: Pick<LeasedWork, 'conversation' | 'epoch' | 'holder' | 'index'>;
}

/** Keeps a finished turn. What it cost is added to the item in the same commit. */
export async function recordWorkTurn(
  options: HeldWork & { turnIndex: number; turn: unknown; cost: number; leaseSeconds: number },
): Promise<void> {
  const { store, tenantId, name, item, turnIndex, turn, cost, leaseSeconds } = options;
  const { bytes, digest, statements } = await packValue(options, turn);
  const clock = CLOCK_SQL[store.dialect];
  const commit = commitIfHeld(options, [
    change(options, `cost = cost + ?, ${leaseSql.extend(store.dialect, leaseSeconds)}`, [cost]),
    ...statements,
    writeSql({
      dialect: store.dialect,
      text: `insert into work_turns (tenant_id, name, item_index, conversation, turn_index, payload, payload_digest, at)
        values (?, ?, ?, ?, ?, ?, ?, ${clock})`,
      parameters: [tenantId, name, item.index, item.conversation, turnIndex, bytes, digest],
      expectRows: 1,
    }),
  ]);
  return commit.catch(async (error: unknown) => {
    // Written by a try whose answer was lost: then its cost is counted too.
    if (StoreConflictError.isInstance(error) && (await readWorkTurns(options)).length > turnIndex) return;
    throw error;
  });
}

/** Ends an item for good: its result takes the place of its turns. `cost` is what was not told with a turn. */
export async function finishWork(
  options: HeldWork & { state: 'discarded' | 'done'; reason?: string | null; result: unknown; cost: number },
): Promise<void> {
  const { state, reason = null, result, cost } = options;
  const { bytes, digest, statements } = await packValue(options, result);
  const columns = 'state = ?, reason = ?, result = ?, result_digest = ?, cost = cost + ?';
  return commitIfHeld(options, [
    change(options, `${columns}, ${leaseSql.release}`, [state, reason, bytes, digest, cost]),
    ...statements,
    ...forgetTurns(options),
  ]);
}

/** The turns of all conversations of an item, with their references to blobs. */
function forgetTurns({ store, tenantId, name, item }: HeldWork): WriteStatement[] {
  const { dialect } = store;
  const own = 'tenant_id = ? and name = ? and item_index = ?';
  const parameters = [tenantId, name, item.index];
  return [
    writeSql({
      dialect,
      text: `update blob_references set reference_count = reference_count - (
          select count(*) from work_turns where ${own} and payload_digest = blob_references.digest)
        where tenant_id = ? and digest in (
          select payload_digest from work_turns where ${own} and payload_digest is not null)`,
      parameters: [...parameters, tenantId, ...parameters],
    }),
    writeSql({ dialect, text: `delete from work_turns where ${own}`, parameters }),
  ];
}

export interface FailWorkOptions extends HeldWork {
  reason: string;
  cost: number;
  /** No attempt is left: it stays `failed` until more are allowed. */
  isLast: boolean;
  /** How long it rests before the next attempt. */
  restMs: number;
  /** The next attempt begins a conversation of its own, instead of going on with the turns that are kept. */
  isStartingOver: boolean;
}

/** Notes that an attempt failed: the item rests and is tried again, or stays `failed` after the last. */
export function failWork(options: FailWorkOptions): Promise<void> {
  const { store, reason, cost, isLast, restMs, isStartingOver } = options;
  const columns = 'state = ?, reason = ?, cost = cost + ?, attempt = attempt + ?';
  const next = isStartingOver ? ', conversation = attempt + 1' : '';
  const rest = `ready_at = ${CLOCK_SQL[store.dialect]} + ${Math.round(restMs)}`;
  return commitIfHeld(options, [
    change(options, `${columns}${next}, ${rest}, ${leaseSql.release}`, [
      ...[isLast ? 'failed' : 'ready', reason, cost],
      // The attempt that was the last one stays the number that is shown.
      isLast ? 0 : 1,
    ]),
  ]);
}

/** Gives an item back as it is; the next worker goes on with its turns. False when it was lost before. */
export async function releaseWork(options: HeldWork): Promise<boolean> {
  try {
    await commitIfHeld(options, [change(options, `state = 'ready', ${leaseSql.release}`, [])]);
    return true;
  } catch (error) {
    if (LeaseLostError.isInstance(error)) return false;
    throw error;
  }
}

function change({ store, tenantId, name, item }: HeldWork, columns: string, parameters: unknown[]): WriteStatement {
  return writeSql({
    dialect: store.dialect,
    text: `update work_items set ${columns}, changed_at = ${CLOCK_SQL[store.dialect]}
      where tenant_id = ? and name = ? and item_index = ? and ${leaseSql.isHeld} and state = 'leased'`,
    parameters: [...parameters, tenantId, name, item.index, item.holder, item.epoch],
    expectRows: 1,
  });
}

/** The first statement of each unit changes the item, and only while it is held. */
async function commitIfHeld({ store, name, item }: HeldWork, statements: WriteStatement[]): Promise<void> {
  try {
    await store.commit({ statements }, { deadlineMs: COMMIT_DEADLINE_MS });
  } catch (error) {
    if (!StaleWriteError.isInstance(error) || error.statementIndex !== 0) throw error;
    throw new LeaseLostError({ what: `item ${item.index} of ${name}`, ...item });
  }
}
