import type { Feedback, FeedbackInput, IdSource } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';
import { insertRow, writeSql } from '../database/write-row.ts';
import { StaleWriteError } from '../errors/stale-write-error.ts';
import { toCanonicalJson } from '../events/canonical-json.ts';
import type { JsonValue } from '../events/canonical-json.ts';
import type { WaitingFeedbackTable } from '../schema/library.ts';
import { findReply } from '../trajectories/find-reply.ts';
import { toFeedback } from './feedback-row.ts';
import { createKey, writeFeedback } from './write-feedback.ts';

interface Scope {
  store: Store;
  tenantId: string;
}

/** A recorder that could not send for a week has lost more than a rating; and a wrong name waits no longer. */
export const WAITS_MS = 7 * 24 * 3_600_000;
/** Ratings of names that nobody records must not fill the disk. */
export const MOST_WAITING = 10_000;
/** Names in one question. */
const PORTION = 1_000;

/** Keeps feedback about what is not recorded yet. Undefined when as many wait as may; said again, the last one counts. */
export async function keepWaiting(
  options: Scope & { feedback: FeedbackInput; ids: IdSource; most?: number },
): Promise<Feedback | undefined> {
  const { store, tenantId, feedback, ids, most = MOST_WAITING } = options;
  const content = toCanonicalJson(feedback as JsonValue);
  const key = feedback.key ?? createKey(feedback, content);
  const own = () =>
    selectWaiting(options).where('author', '=', feedback.author).where('key', '=', key).executeTakeFirst();
  if ((await own()) === undefined && (await countWaiting(options)) >= most) return undefined;
  const row = {
    tenant_id: tenantId,
    author: feedback.author,
    key,
    feedback_id: ids.next(),
    name: feedback.trajectory_id,
    content,
    created_at: await store.now(),
  };
  const suffix = `on conflict (tenant_id, author, key) do update set name = excluded.name, content = excluded.content,
    created_at = excluded.created_at`;
  await store.commit({ statements: [insertRow({ dialect: store.dialect, table: 'waiting_feedback', row, suffix })] });
  // Its record may have come between our look and our commit, and its recorder may have looked before it.
  await attachWaiting({ store, tenantId, names: [feedback.trajectory_id] });
  const still = await own();
  if (still !== undefined) return toWaiting(still);
  const attached = await store.db
    .selectFrom('feedback')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('feedback_id', '=', row.feedback_id)
    .executeTakeFirst();
  return attached === undefined ? toWaiting(row) : toFeedback(attached);
}

/**
 * Attaches what waits for one of these names, and gives how many were. Whoever records asks after the commit; die before
 * it, and the record that is sent again asks again.
 */
export async function attachWaiting(options: Scope & { names: readonly string[] }): Promise<number> {
  const { store, tenantId, names } = options;
  // Nearly always nothing waits, and a thousand records have thousands of names.
  if ((await selectWaiting(options).limit(1).executeTakeFirst()) === undefined) return 0;
  let attached = 0;
  for (let start = 0; start < names.length; start += PORTION) {
    const rows = await selectWaiting(options)
      .where('name', 'in', names.slice(start, start + PORTION))
      .orderBy('created_at')
      .execute();
    for (const row of rows) if (await attach({ store, tenantId }, row)) attached += 1;
  }
  return attached;
}

async function attach({ store, tenantId }: Scope, row: WaitingFeedbackTable): Promise<boolean> {
  const found = await findReply({ store, tenantId, name: row.name });
  const [one] = found;
  // A name of several replies is about none of them: it waits until it is too old.
  if (one === undefined || found.length > 1) return false;
  const said = JSON.parse(row.content) as FeedbackInput;
  const feedback = {
    ...said,
    trajectory_id: one.trajectoryId,
    ...(one.turnIndex === undefined ? {} : { turn_index: one.turnIndex }),
  };
  const gone = writeSql({
    dialect: store.dialect,
    text: 'delete from waiting_feedback where tenant_id = ? and author = ? and key = ? and created_at = ?',
    parameters: [tenantId, row.author, row.key, row.created_at],
    expectRows: 1,
  });
  try {
    await writeFeedback({
      ...{ store, tenantId, feedback, ids: { next: () => row.feedback_id } },
      ...{ saidAt: row.created_at, besides: [gone] },
    });
    return true;
  } catch (error) {
    // Another process attached it, or its author said something else meanwhile.
    if (StaleWriteError.isInstance(error)) return false;
    throw error;
  }
}

/** What waits, the oldest first. */
export async function listWaiting(options: Scope & { author?: string | undefined }): Promise<Feedback[]> {
  const { author } = options;
  const all = selectWaiting(options).orderBy('created_at').orderBy('feedback_id');
  const rows = await (author === undefined ? all : all.where('author', '=', author)).execute();
  return rows.map(toWaiting);
}

/** Takes back what was said before its reply was recorded: nothing counted yet, so nothing stays. */
export async function dropWaiting(options: Scope & { feedbackId: string }): Promise<Feedback | undefined> {
  const { store, tenantId, feedbackId } = options;
  const row = await selectWaiting(options).where('feedback_id', '=', feedbackId).executeTakeFirst();
  if (row === undefined) return undefined;
  await store.db
    .deleteFrom('waiting_feedback')
    .where('tenant_id', '=', tenantId)
    .where('feedback_id', '=', feedbackId)
    .execute();
  return { ...toWaiting(row), withdrawn_at: await store.now() };
}

/** Lets go of what waited too long, for every tenant; gives how many. */
export async function dropStaleFeedback({
  store,
  waitsMs = WAITS_MS,
}: {
  store: Store;
  waitsMs?: number;
}): Promise<number> {
  const olderThan = (await store.now()) - waitsMs;
  const { numDeletedRows } = await store.db
    .deleteFrom('waiting_feedback')
    .where('created_at', '<', olderThan)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

const selectWaiting = ({ store, tenantId }: Scope) =>
  store.db.selectFrom('waiting_feedback').selectAll().where('tenant_id', '=', tenantId);

async function countWaiting({ store, tenantId }: Scope): Promise<number> {
  const { waiting } = await store.db
    .selectFrom('waiting_feedback')
    .select(({ fn }) => fn.countAll().as('waiting'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow();
  return Number(waiting);
}

const toWaiting = (row: WaitingFeedbackTable): Feedback => ({
  feedback_id: row.feedback_id,
  feedback: JSON.parse(row.content) as FeedbackInput,
  // It says nothing of a reply before there is one.
  value: null,
  revises: null,
  created_at: row.created_at,
  withdrawn_at: null,
  is_waiting: true,
});
