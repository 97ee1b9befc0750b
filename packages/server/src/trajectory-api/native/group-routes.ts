import { groupReceiptSchema, LachesisError, PACKED_GROUP_CONTENT_TYPE, type GroupReceipt } from '@lachesis/protocol';
import { StoreConflictError } from '@lachesis/store';
import { diskFullError } from '../../http/error-reply.ts';
import { defineRoute } from '../../http/define-route.ts';
import { bytesBody } from '../../http/read-body.ts';
import { LARGE_BODY, type Route, type RouteCall } from '../../http/route.ts';
import type { PooledPackedGroup } from '../ingest/ingest-pool.ts';
import type { TrajectoryApiDeps } from '../deps.ts';
import type { IncomingGroup } from '../queue/accept-groups.ts';

const MAX_KEY_LENGTH = 200;

type PushCall = RouteCall & { body: Uint8Array };

/** Packed groups pushed by native environments. */
export function createGroupRoutes(deps: TrajectoryApiDeps): Route[] {
  // Equal keys that arrive together are taken one after the other, so that the second finds the first one's answer.
  const underWay = new Map<string, Promise<unknown>>();
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/groups',
      maxBodyBytes: LARGE_BODY,
      scope: 'env:push',
      perRun: true,
      summary: 'Push one packed group under an Idempotency-Key. 200 means that it is on disk.',
      body: bytesBody(PACKED_GROUP_CONTENT_TYPE),
      reply: groupReceiptSchema,
      handle: async (call) => {
        const key = readIdempotencyKey(call);
        const slot = `${call.principal.tenantId}/${call.runName}/${key}`;
        const before = underWay.get(slot) ?? Promise.resolve();
        const work = before.then(
          () => pushGroup(deps, call, key),
          () => pushGroup(deps, call, key),
        );
        underWay.set(slot, work);
        try {
          return await work;
        } finally {
          if (underWay.get(slot) === work) underWay.delete(slot);
        }
      },
    }),
  ];
}

function readIdempotencyKey({ request }: RouteCall): string {
  const key = request.headers['idempotency-key'];
  if (typeof key === 'string' && key.length > 0 && key.length <= MAX_KEY_LENGTH) return key;
  throw new LachesisError({
    code: 'bad-request',
    message: `the Idempotency-Key header must have 1 to ${MAX_KEY_LENGTH} characters`,
    hint: 'Make one UUID per group and send the same one with every retry of it.',
  });
}

async function pushGroup(deps: TrajectoryApiDeps, call: PushCall, key: string): Promise<GroupReceipt> {
  await deps.diskGuard.check();
  const body = readPackedBody(call);
  const stored = await deps.pool.storePacked({ body });
  call.releaseBody();
  if (stored.kind === 'disk-full') throw diskFullError();
  if (stored.kind === 'refused') {
    throw new LachesisError({
      code: 'invalid',
      message: 'the group breaks a rule; nothing was stored',
      issues: stored.issues,
    });
  }
  deps.metrics.addPhases(stored.phases);

  const lookUp = (): Promise<GroupReceipt | null> => findReplay(deps, call, key, stored.group.digest);
  const earlier = await lookUp();
  if (earlier !== null) return earlier;
  try {
    return await accept(deps, call, key, stored.group);
  } catch (error) {
    // Another process took the same key between our look and our commit.
    if (!StoreConflictError.isInstance(error)) throw error;
    const replay = await lookUp();
    if (replay !== null) return replay;
    throw new LachesisError({
      code: 'conflict',
      message: 'a group with this group_id exists already, pushed under another idempotency key',
      hint: 'Make a new group_id for a new group, or leave it out and take the one in the reply.',
      cause: error,
    });
  }
}

function readPackedBody({ request, body }: PushCall): Uint8Array {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== PACKED_GROUP_CONTENT_TYPE || request.headers['content-encoding'] !== undefined) {
    throw new LachesisError({
      code: 'unsupported-encoding',
      message: `groups come as ${PACKED_GROUP_CONTENT_TYPE}, without a content encoding`,
      hint: 'Encode the group with encodeGroup of @lachesis/protocol, or push JSON to /scored_data.',
    });
  }
  return body;
}

async function findReplay(
  deps: TrajectoryApiDeps,
  call: RouteCall,
  key: string,
  digest: string,
): Promise<GroupReceipt | null> {
  const { tenantId } = call.principal;
  const earlier = await deps.idempotency.find({ tenantId, runName: call.runName, key });
  if (earlier === null) return null;
  if (earlier.bodyDigest !== digest) {
    throw new LachesisError({
      code: 'conflict',
      message: `the idempotency key ${JSON.stringify(key)} was used for another body`,
      hint: 'A key belongs to one group for ever; make a new one for a new group.',
    });
  }
  deps.metrics.replayed.inc({ api: 'native' });
  return { ...(JSON.parse(earlier.reply) as GroupReceipt), replayed: true };
}

async function accept(
  deps: TrajectoryApiDeps,
  call: RouteCall,
  key: string,
  group: PooledPackedGroup,
): Promise<GroupReceipt> {
  const result = await deps.ask(call, 'pushPacked', {
    group: toIncoming(group, group.header.group_id ?? deps.nextId()),
    bodyDigest: group.digest,
    key,
  });
  if ('excess' in result) throw refuseExcess(deps, result.excess);
  deps.metrics.accepted.inc({ api: 'native' });
  if (result.isQuarantined) deps.metrics.quarantined.inc();
  return JSON.parse(result.reply) as GroupReceipt;
}

function refuseExcess(deps: TrajectoryApiDeps, excess: string): LachesisError {
  deps.metrics.refused.inc({ api: 'native' });
  return new LachesisError({
    code: 'back-pressure',
    message: `${excess}; nothing was stored`,
    hint: 'Send the same group again after Retry-After.',
    retryAfterSeconds: 1,
  });
}

function toIncoming(group: PooledPackedGroup, groupId: string): IncomingGroup {
  const { header } = group;
  return {
    groupId,
    envId: header.env_id ?? null,
    sequenceCount: group.sequenceCount,
    rolloutCount: header.rollout_ids.length === 0 ? undefined : new Set(header.rollout_ids).size,
    tokenCount: group.tokenCount,
    longestSequence: group.longestSequence,
    payloadDigest: group.digest,
    payloadBytes: group.payloadBytes,
    nonFiniteFields: [],
    rolloutId: header.rollout_ids[0] ?? null,
    outcome: header.outcome,
    reason: header.reason ?? null,
    environmentDigest: header.environment_digest ?? null,
    verifierDigest: header.verifier_digest ?? null,
    split: header.split,
    consent: header.consent,
    policyVersionMin: group.policyVersionMin,
    policyVersionMax: group.policyVersionMax,
  };
}
