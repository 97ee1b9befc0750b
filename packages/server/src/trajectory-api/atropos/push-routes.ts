import type { FastifyReply } from 'fastify';
import { diskFullError } from '../../http/error-reply.ts';
import { defineRoute, sentByHand } from '../../http/define-route.ts';
import { bytesBody } from '../../http/read-body.ts';
import { JSON_TYPE, LARGE_BODY, type Route, type RouteCall } from '../../http/route.ts';
import { sendAndConfirm } from '../../http/send-and-confirm.ts';
import { findExcess } from '../bounds.ts';
import type { PooledIngest } from '../ingest/ingest-pool.ts';
import type { TrajectoryApiDeps } from '../deps.ts';
import {
  acceptGroups,
  confirmReceipt,
  loseReceipt,
  type AcceptedGroup,
  type AcceptResult,
  type IncomingGroup,
} from '../queue/accept-groups.ts';
import type { OpenRun } from '../run-directory.ts';
import { answerAsAtropos } from './answer.ts';
import { AtroposRefusal, isJsonContentType, readEncoding, refuseBody } from './body-rules.ts';
import { recordHeartbeat } from './status-routes.ts';

/** A plain client waits five minutes for its answer; the database gets that long to come back, less a margin. */
const ACCEPT_DEADLINE_MS = 240_000;

/** Groups pushed by unmodified Atropos environments. */
export function createPushRoutes(deps: TrajectoryApiDeps): Route[] {
  return [
    answerAsAtropos(
      defineRoute({
        method: 'POST',
        path: '/scored_data',
        maxBodyBytes: LARGE_BODY,
        scope: 'env:push',
        perRun: true,
        summary: 'Push one group. 200 means that it is on disk.',
        body: bytesBody(JSON_TYPE),
        reply: sentByHand(JSON_TYPE),
        handle: (call) => handlePush(deps, call, { shape: 'one', renderReply: renderOneReply }),
      }),
    ),
    answerAsAtropos(
      defineRoute({
        method: 'POST',
        path: '/scored_data_list',
        maxBodyBytes: LARGE_BODY,
        scope: 'env:push',
        perRun: true,
        summary: 'Push several groups: all are stored, or none.',
        body: bytesBody(JSON_TYPE),
        reply: sentByHand(JSON_TYPE),
        handle: (call) => handlePush(deps, call, { shape: 'list', renderReply: renderListReply }),
      }),
    ),
  ];
}

async function handlePush(
  deps: TrajectoryApiDeps,
  call: RouteCall & { body: Uint8Array },
  { shape, renderReply }: { shape: 'one' | 'list'; renderReply: (accepted: readonly AcceptedGroup[]) => string },
): Promise<undefined> {
  await deps.diskGuard.check();
  const ingested = await ingest(deps, call, shape);
  call.releaseBody();
  if (ingested.kind === 'disk-full') throw diskFullError();
  if (ingested.kind === 'refused') {
    throw new AtroposRefusal(ingested.status, 'issues' in ingested ? { detail: ingested.issues } : ingested.text);
  }

  const run = deps.runs.open(call.principal.tenantId, call.runName);
  const groups = ingested.groups.map((group) => toIncoming(group, deps.nextId()));
  const { raw } = call.reply;
  const request = {
    ...({ api: 'atropos', bodyDigest: ingested.bodyDigest, idempotencyKey: null, renderReply } as const),
    hasHungUp: () => raw.destroyed,
  };
  const { answering } = run;
  let receiptId = deps.nextId();
  answering.add(receiptId);
  // At once, and not when we come to send: its retry may be in line behind the transaction that is being committed.
  raw.once('close', () => {
    if (!raw.writableFinished) run.queue.defer((transaction) => loseReceipt(transaction, receiptId));
  });
  try {
    const result = await run.queue.execute(
      (transaction) => acceptGroups(transaction, { ...request, groups, receiptId }),
      {
        deadlineMs: ACCEPT_DEADLINE_MS,
      },
    );
    answering.delete(receiptId);
    receiptId = result.receiptId ?? receiptId;
    answering.add(receiptId);
    countAccepted(deps, result);
    for (const envId of new Set(groups.map((group) => group.envId)))
      await recordHeartbeat(run, envId, deps.monotonic());
    await holdBack(deps, run, call.reply);
    settleReceipt(run, receiptId, await sendReply(call.reply, result.reply));
  } catch (error) {
    answering.delete(receiptId);
    throw error;
  }
}

function sendReply(reply: FastifyReply, json: string): Promise<boolean> {
  const body = Buffer.from(json);
  return sendAndConfirm(reply, {
    status: 200,
    headers: { 'content-type': 'application/json', 'content-length': body.length },
    chunks: [body],
  });
}

/** If this note is lost with the process, an equal body is taken for the retry and answered again. */
function settleReceipt(run: OpenRun, receiptId: string, isFlushed: boolean): void {
  run.queue.defer((transaction) => {
    if (isFlushed) confirmReceipt(transaction, receiptId);
    else loseReceipt(transaction, receiptId);
    run.answering.delete(receiptId);
  });
}

async function ingest(
  deps: TrajectoryApiDeps,
  { request, body }: RouteCall & { body: Uint8Array },
  shape: 'one' | 'list',
): Promise<PooledIngest> {
  const encoding = readEncoding(request);
  if (body.length > 0 && !isJsonContentType(request)) {
    throw refuseBody('model_attributes_type', 'Input should be a valid dictionary or object to extract fields from');
  }
  const ingested = await deps.pool.ingest({ body, encoding, shape });
  if (ingested.kind === 'groups') deps.metrics.addPhases(ingested.phases);
  return ingested;
}

function toIncoming(
  group: Extract<PooledIngest, { kind: 'groups' }>['groups'][number],
  groupId: string,
): IncomingGroup {
  return {
    groupId,
    envId: group.envId,
    sequenceCount: group.sequenceCount,
    tokenCount: group.tokenCount,
    longestSequence: group.longestSequence,
    payloadDigest: group.digest,
    payloadBytes: group.payloadBytes,
    nonFiniteFields: group.nonFiniteFields,
    rolloutId: null,
    outcome: 'scored',
    reason: null,
    environmentDigest: null,
    verifierDigest: null,
    split: 'train',
    consent: 'unspecified',
    policyVersionMin: null,
    policyVersionMax: null,
  };
}

function countAccepted(deps: TrajectoryApiDeps, { accepted, replayed }: AcceptResult): void {
  if (replayed) deps.metrics.replayed.inc({ api: 'atropos' });
  deps.metrics.accepted.inc({ api: 'atropos' }, accepted.length);
  const quarantined = accepted.filter((group) => group.status === 'quarantined').length;
  if (quarantined > 0) deps.metrics.quarantined.inc(quarantined);
}

/** The group is safe; only its sender is slowed down while the run holds more than it should. */
async function holdBack(deps: TrajectoryApiDeps, run: OpenRun, reply: FastifyReply): Promise<void> {
  const { settings, metrics, monotonic } = deps;
  if (settings.strictAtropos) return;
  const until = monotonic() + settings.backPressureSeconds * 1000;
  const isExceeded = (): boolean =>
    run.queue.cached !== null && findExcess(run.queue.cached, settings, 'atropos') !== null;
  if (!isExceeded()) return;
  metrics.refused.inc({ api: 'atropos' });
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  while (isExceeded() && !gone.signal.aborted) {
    const left = until - monotonic();
    if (left <= 0) return;
    await run.waiters.wait(left, gone.signal);
  }
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
