import type { GroupReceipt } from '@lachesis/protocol';
import { findExcess } from '../bounds.ts';
import {
  acceptGroups,
  confirmReceipt,
  loseReceipt,
  type AcceptedGroup,
  type AcceptResult,
  type IncomingGroup,
} from '../queue/accept-groups.ts';
import { recordHeartbeat } from './heartbeat.ts';
import type { CommandContext } from './command.ts';

/** How the reply to a push is written. */
const REPLIES = {
  native: (accepted: readonly AcceptedGroup[]): string => JSON.stringify(toReceipt(accepted[0])),
  one: renderOneReply,
  list: renderListReply,
} as const;

/** A packed group under its key, or which bound keeps it out. */
export async function pushPacked(
  { run, settings }: CommandContext,
  { group, bodyDigest, key }: { group: IncomingGroup; bodyDigest: string; key: string },
): Promise<{ excess: string } | { reply: string; isQuarantined: boolean }> {
  const excess = await run.queue.read((state) => findExcess(state, settings, 'native', group.envId));
  if (excess !== null) return { excess };
  const { reply, accepted } = await run.queue.execute((transaction) =>
    acceptGroups(transaction, {
      ...{ api: 'native', groups: [group], bodyDigest, idempotencyKey: key, receiptId: null },
      renderReply: REPLIES.native,
    }),
  );
  return { reply, isQuarantined: accepted[0]?.status === 'quarantined' };
}

export interface PlainPush {
  shape: 'one' | 'list';
  groups: readonly IncomingGroup[];
  bodyDigest: string;
  receiptId: string;
  answeredBy: string | null;
  deadlineMs: number;
  /** Only heard where the server that answers decides: who forwards says it afterwards, with `settleReceipt`. */
  hasHungUp?: () => boolean;
}

export async function pushPlain(
  context: CommandContext,
  { shape, deadlineMs, ...request }: PlainPush,
): Promise<AcceptResult & { isExceeded: boolean }> {
  const { run, monotonic, silentMs } = context;
  const result = await run.queue.execute(
    (transaction) =>
      acceptGroups(transaction, { ...request, api: 'atropos', idempotencyKey: null, renderReply: REPLIES[shape] }),
    { deadlineMs },
  );
  for (const envId of new Set(request.groups.map((group) => group.envId)))
    await recordHeartbeat(run, envId, { now: monotonic(), silentMs });
  return { ...result, isExceeded: await isExceeded(context) };
}

/** If this note is lost with the process, an equal body is taken for the retry and answered again. */
export async function settleReceipt(
  { run }: CommandContext,
  { receiptId, isFlushed, isForwarded }: { receiptId: string; isFlushed: boolean; isForwarded?: boolean },
): Promise<void> {
  if (isForwarded === true && !isFlushed) {
    // Its server lives on when we die: the next owner learns from the row that nobody answers it any more.
    await run.queue.execute((transaction) => loseReceipt(transaction, receiptId));
    return;
  }
  run.queue.defer((transaction) => {
    if (isFlushed) confirmReceipt(transaction, receiptId);
    else loseReceipt(transaction, receiptId);
    run.answering.delete(receiptId);
  });
}

/** Whether a plain sender should be slowed down now. */
export async function isExceeded({ run, settings }: CommandContext): Promise<boolean> {
  const { cached } = run.queue;
  return cached !== null && findExcess(cached, settings, 'atropos') !== null;
}

function toReceipt(accepted: AcceptedGroup | undefined): GroupReceipt {
  const base = { group_id: accepted?.groupId ?? '', replayed: false, durability: 'local' as const };
  if (accepted === undefined || accepted.status === 'received') return { ...base, status: 'queued' };
  if (accepted.status === 'buffered') return { ...base, status: 'buffered' };
  return { ...base, status: accepted.status, reason: accepted.reason };
}

function renderOneReply(accepted: readonly AcceptedGroup[]): string {
  const [group] = accepted;
  return group?.status === 'buffered'
    ? JSON.stringify({ status: 'buffered', buffer_size: group.bufferSize })
    : JSON.stringify({ status: 'received' });
}

function renderListReply(accepted: readonly AcceptedGroup[]): string {
  const buffered = accepted.filter((group) => group.status === 'buffered');
  const last = buffered.at(-1);
  return JSON.stringify({
    status: 'received',
    groups_processed: accepted.length,
    ...(last === undefined ? {} : { buffered: buffered.length, last_buffer_size: last.bufferSize }),
  });
}
