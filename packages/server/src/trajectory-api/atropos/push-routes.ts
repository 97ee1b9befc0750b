import type { FastifyReply } from 'fastify';
import { diskFullError } from '../../http/error-reply.ts';
import { defineRoute, sentByHand } from '../../http/define-route.ts';
import { bytesBody } from '../../http/read-body.ts';
import { JSON_TYPE, LARGE_BODY, type Route, type RouteCall } from '../../http/route.ts';
import { sendAndConfirm } from '../../http/send-and-confirm.ts';
import type { PooledIngest } from '../ingest/ingest-pool.ts';
import type { TrajectoryApiDeps } from '../deps.ts';
import type { AcceptResult, IncomingGroup } from '../queue/accept-groups.ts';
import { answerAsAtropos } from './answer.ts';
import { AtroposRefusal, isJsonContentType, readEncoding, refuseBody } from './body-rules.ts';

/** A plain client waits five minutes for its answer; the database gets that long to come back, less a margin. */
const ACCEPT_DEADLINE_MS = 240_000;
/** A sender that is held back for another server's run looks again this often. */
const LOOK_AGAIN_MS = 500;

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
        handle: (call) => handlePush(deps, call, 'one'),
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
        handle: (call) => handlePush(deps, call, 'list'),
      }),
    ),
  ];
}

async function handlePush(
  deps: TrajectoryApiDeps,
  call: RouteCall & { body: Uint8Array },
  shape: 'one' | 'list',
): Promise<undefined> {
  const begunAt = deps.monotonic();
  await deps.diskGuard.check();
  const ingested = await ingest(deps, call, shape);
  call.releaseBody();
  if (ingested.kind === 'disk-full') throw diskFullError();
  if (ingested.kind === 'refused') {
    throw new AtroposRefusal(ingested.status, 'issues' in ingested ? { detail: ingested.issues } : ingested.text);
  }

  const groups = ingested.groups.map((group) => toIncoming(group, deps.nextId()));
  const { raw } = call.reply;
  const { answering } = deps.runs.open(call.principal.tenantId, call.runName);
  let receiptId = deps.nextId();
  answering.add(receiptId);
  // At once, and not when we come to send: its retry may be in line behind the transaction that is being committed.
  raw.once('close', () => {
    if (!raw.writableFinished) void settle(deps, call, receiptId, false);
  });
  try {
    const result = await deps.ask(
      call,
      'pushPlain',
      {
        ...{ shape, groups, bodyDigest: ingested.bodyDigest, receiptId, answeredBy: deps.replica },
        ...{ begunMsAgo: deps.monotonic() - begunAt, hadHungUp: raw.destroyed },
        ...{ hasHungUp: () => raw.destroyed, deadlineMs: ACCEPT_DEADLINE_MS },
      },
      { deadlineMs: ACCEPT_DEADLINE_MS },
    );
    answering.delete(receiptId);
    receiptId = result.receiptId ?? receiptId;
    answering.add(receiptId);
    countAccepted(deps, result);
    if (result.isExceeded) await holdBack(deps, call);
    await settle(deps, call, receiptId, await sendReply(call.reply, result.reply));
  } catch (error) {
    answering.delete(receiptId);
    // It may be written all the same: where another server decides, an equal body is its retry from now on.
    if (deps.replica !== null) void settle(deps, call, receiptId, false);
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

/** A note that gets lost is worked out again: an equal body is taken for the retry and answered again. */
async function settle(deps: TrajectoryApiDeps, call: RouteCall, receiptId: string, isFlushed: boolean): Promise<void> {
  try {
    await deps.ask(call, 'settleReceipt', { receiptId, isFlushed });
    const { owner, answering } = deps.runs.open(call.principal.tenantId, call.runName);
    if (owner?.isHere === false) answering.delete(receiptId);
  } catch (error) {
    deps.log.warn({ err: error, receiptId }, 'what became of a reply could not be noted');
  }
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
async function holdBack(deps: TrajectoryApiDeps, call: RouteCall): Promise<void> {
  const { settings, metrics, monotonic } = deps;
  if (settings.strictAtropos) return;
  const { waiters, owner } = deps.runs.open(call.principal.tenantId, call.runName);
  const until = monotonic() + settings.backPressureSeconds * 1000;
  const isExceeded = (): Promise<boolean> => deps.ask(call, 'isExceeded', {});
  metrics.refused.inc({ api: 'atropos' });
  const gone = new AbortController();
  call.reply.raw.once('close', () => gone.abort());
  while (!gone.signal.aborted && (await isExceeded())) {
    const left = until - monotonic();
    if (left <= 0) return;
    // Commits of another owner wake nobody here.
    await waiters.wait(owner?.isHere === false ? Math.min(left, LOOK_AGAIN_MS) : left, gone.signal);
  }
}
