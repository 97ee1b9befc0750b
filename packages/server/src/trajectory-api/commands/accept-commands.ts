import { LachesisError, type GroupReceipt } from '@lachesis/protocol';
import { findExcess } from '../bounds.ts';
import {
  acceptGroups,
  confirmReceipt,
  environmentKeyOf,
  listAnswering,
  loseReceipt,
  loseReceiptsOf,
  type AcceptedGroup,
  type AcceptRequest,
  type AcceptResult,
  type IncomingGroup,
} from '../queue/accept-groups.ts';
import type { OpenRun } from '../run-directory.ts';
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
  /** How long ago its server was sent it. */
  begunMsAgo?: number;
  /** The sender had gone before the run was asked. */
  hadHungUp?: boolean;
  /** Only heard where the server that answers decides: who forwards says it afterwards, with `settleReceipt`. */
  hasHungUp?: () => boolean;
}

export async function pushPlain(
  context: CommandContext,
  { shape, deadlineMs, begunMsAgo = 0, hadHungUp = false, ...request }: PlainPush,
): Promise<AcceptResult & { isExceeded: boolean }> {
  const { run, monotonic, silentMs } = context;
  const hasHungUp = (): boolean => hadHungUp || run.abandoned.has(request.receiptId) || request.hasHungUp?.() === true;
  const result = await acceptPlain(
    context,
    { ...request, hasHungUp, api: 'atropos', idempotencyKey: null, renderReply: REPLIES[shape] },
    { deadlineMs, begunAt: monotonic() - begunMsAgo },
  );
  for (const envId of new Set(request.groups.map((group) => group.envId)))
    await recordHeartbeat(run, envId, { now: monotonic(), silentMs });
  return { ...result, isExceeded: await isExceeded(context) };
}

/**
 * A sender whose server was killed sends the same body to another at once, before anybody has heard of the death: it would be taken for a
 * second group. So whoever is answering an equal body is asked first whether it lives.
 *
 * A push can also come to be decided after its own retry: its payload waited longer for the disk, or its server died behind it. It is the
 * same group, and nobody is there any more who could be answered.
 */
async function acceptPlain(
  { run, monotonic }: Pick<CommandContext, 'run' | 'monotonic'>,
  request: AcceptRequest,
  { deadlineMs, begunAt }: { deadlineMs: number; begunAt: number },
): Promise<AcceptResult> {
  const { queue, owner } = run;
  const own = request.answeredBy ?? null;
  const body = `${environmentKeyOf(request.groups)} ${request.bodyDigest}`;
  const asked = new Set<string>();
  const away = new Set<string>();
  for (;;) {
    const decided = await queue.execute(
      (transaction): AcceptResult | { toAsk: string[] } | 'overtaken' => {
        const newest = run.decided.get(body);
        // A transaction that could not be committed is decided anew: it is not behind itself.
        const isOvertaken = newest !== undefined && newest.receiptId !== request.receiptId && newest.at > begunAt;
        const answering =
          owner === null ? [] : listAnswering(transaction.state, request).filter((each) => each !== own);
        if (isOvertaken && own !== null) answering.push(own);
        const toAsk = answering.filter((server) => !asked.has(server));
        if (toAsk.length > 0) return { toAsk };
        if (isOvertaken && (request.hasHungUp?.() === true || (own !== null && away.has(own)))) return 'overtaken';
        noteDecided(run, body, { receiptId: request.receiptId, at: monotonic() });
        return acceptGroups(transaction, request);
      },
      { deadlineMs },
    );
    if (decided === 'overtaken') throw toOvertaken();
    if (!('toAsk' in decided)) return decided;
    for (const server of decided.toAsk) {
      asked.add(server);
      if ((await owner?.isAway(server)) !== true) continue;
      away.add(server);
      await queue.execute((transaction) => loseReceiptsOf(transaction, (each) => each === server), { deadlineMs });
    }
  }
}

/** The newest are enough: a push is decided within seconds, and only one that has hung up is looked for. */
const MOST_DECIDED = 16_384;

function noteDecided({ decided }: OpenRun, body: string, push: { receiptId: string | null; at: number }): void {
  decided.delete(body);
  decided.set(body, push);
  if (decided.size > MOST_DECIDED) decided.delete(decided.keys().next().value!);
}

const toOvertaken = (): LachesisError =>
  new LachesisError({
    code: 'unavailable',
    message: 'whoever sent this hung up and has sent the same again since, which was decided',
    hint: 'Nothing was stored of this one; send it again if it was another group.',
    retryAfterSeconds: 1,
  });

/** If this note is lost with the process, an equal body is taken for the retry and answered again. */
export async function settleReceipt(
  { run, monotonic }: CommandContext,
  { receiptId, isFlushed, isForwarded }: { receiptId: string; isFlushed: boolean; isForwarded?: boolean },
): Promise<void> {
  if (isForwarded === true && !isFlushed) {
    // The push may still be in line, behind a database that is away.
    abandon(run, receiptId, monotonic());
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

/** Longer than any push waits to be decided. */
const ABANDONED_MS = 10 * 60_000;

function abandon({ abandoned }: OpenRun, receiptId: string, now: number): void {
  for (const [each, since] of abandoned) if (now - since > ABANDONED_MS) abandoned.delete(each);
  abandoned.set(receiptId, now);
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
