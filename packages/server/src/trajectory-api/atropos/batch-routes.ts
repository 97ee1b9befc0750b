import { batchReplySchema, EMPTY_EXAMPLE_KEYS, LachesisError, type BatchReply } from '@lachesis/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { defineRoute, jsonOrByHand } from '../../http/define-route.ts';
import type { Route, RouteCall } from '../../http/route.ts';
import { sendAndConfirm } from '../../http/send-and-confirm.ts';
import { BrokenPayloadsError } from '../ingest/ingest-pool.ts';
import type { TrajectoryApiParts } from '../parts.ts';
import { dropBatch, finishBatch, handOutBatch, quarantineFromBatch, returnBatch } from '../queue/hand-out-batch.ts';
import type { OpenRun } from '../run-directory.ts';
import { answerAsAtropos } from './answer.ts';
import { AtroposRefusal } from './body-rules.ts';

/** How long one reply may take to leave. After that the batch goes to somebody else. */
const SENDING_LEASE_MS = 120_000;

const UNREGISTERED: BatchReply = {
  status: 'error',
  message: 'Trainer not registered. Call /register first.',
  batch: [],
};

/** Batches for unmodified Atropos trainers. */
export function createBatchRoutes(parts: TrajectoryApiParts): Route[] {
  return [
    answerAsAtropos(
      defineRoute({
        method: 'GET',
        path: '/batch',
        scope: 'trainer:pull',
        perRun: true,
        summary: 'The next batch, or null. It counts as delivered once the whole reply has left.',
        reply: jsonOrByHand(batchReplySchema),
        handle: (call) => handleBatch(parts, call),
      }),
    ),
    answerAsAtropos(
      defineRoute({
        method: 'GET',
        path: '/latest_example',
        scope: 'view',
        perRun: true,
        summary: 'The group queued last.',
        reply: jsonOrByHand(z.record(z.string(), z.unknown())),
        handle: (call) => handleLatest(parts, call),
      }),
    ),
  ];
}

async function handleBatch(parts: TrajectoryApiParts, call: RouteCall): Promise<BatchReply | FastifyReply> {
  const run = parts.runs.open(call.principal.tenantId, call.runName);
  for (;;) {
    const taken = await takeBatch(parts, run);
    if (taken.kind === 'unregistered') return UNREGISTERED;
    if (taken.kind === 'empty') return { batch: null };
    if (taken.isNotFinite) {
      await run.queue.execute((turn) => dropBatch(turn, { ...taken.claim, reason: 'not-finite' }));
      throw new AtroposRefusal(500, 'Internal Server Error');
    }
    try {
      const body = await parts.pool.assemble({
        digests: taken.digests,
        acceptsGzip: acceptsGzip(call.request),
        shape: 'batch',
      });
      await deliver(parts, run, call, taken.claim, body);
      return call.reply;
    } catch (error) {
      if (!BrokenPayloadsError.isInstance(error)) {
        await giveBack(parts, run, taken.claim, 'assembly-failed');
        throw error;
      }
      const broken = new Set(error.digests);
      const groupIds = taken.groupIds.filter((_, index) => broken.has(taken.digests[index] ?? ''));
      parts.log.error({ digests: error.digests, groupIds }, 'payloads cannot be read; their groups are quarantined');
      await run.queue.execute((turn) =>
        quarantineFromBatch(turn, { ...taken.claim, groupIds, reason: 'payload-unreadable' }),
      );
    }
  }
}

interface Claim {
  batchId: string;
  epoch: number;
}

type Taken =
  | { kind: 'unregistered' }
  | { kind: 'empty' }
  | { kind: 'batch'; claim: Claim; digests: string[]; groupIds: string[]; isNotFinite: boolean };

function takeBatch(parts: TrajectoryApiParts, run: OpenRun): Promise<Taken> {
  return run.queue.execute((turn): Taken => {
    const handOut = handOutBatch(turn, { state: 'sending', owner: parts.instanceId, leaseMs: SENDING_LEASE_MS });
    if (handOut.kind !== 'batch') return handOut;
    const { batchId, epoch, groups } = handOut.batch;
    return {
      kind: 'batch',
      claim: { batchId, epoch },
      digests: groups.map((group) => group.payloadDigest),
      groupIds: groups.map((group) => group.groupId),
      isNotFinite: groups.some((group) => group.nonFinite),
    };
  });
}

async function deliver(
  parts: TrajectoryApiParts,
  run: OpenRun,
  { reply }: RouteCall,
  claim: Claim,
  body: { chunks: Uint8Array[]; contentEncoding: 'gzip' | null; contentLength: number },
): Promise<void> {
  const isFlushed = await sendAndConfirm(reply, {
    status: 200,
    headers: {
      'content-type': 'application/json',
      'content-length': body.contentLength,
      vary: 'Accept-Encoding',
      ...(body.contentEncoding === null ? {} : { 'content-encoding': body.contentEncoding }),
    },
    chunks: body.chunks,
  });
  if (!isFlushed) {
    await giveBack(parts, run, claim, 'reply-not-flushed');
    return;
  }
  parts.metrics.delivered.inc({ door: 'atropos' });
  await run.queue.execute((turn) => finishBatch(turn, { ...claim, fate: 'delivered' }));
}

async function giveBack(parts: TrajectoryApiParts, run: OpenRun, claim: Claim, reason: string): Promise<void> {
  parts.log.info({ ...claim, reason }, 'batch returned');
  await run.queue.execute((turn) => returnBatch(turn, { ...claim, reason }));
}

async function handleLatest(
  parts: TrajectoryApiParts,
  call: RouteCall,
): Promise<FastifyReply | Record<string, unknown>> {
  const run = parts.runs.open(call.principal.tenantId, call.runName);
  const latest = await run.queue.read((state) => state.record.latest);
  if (latest === null) return Object.fromEntries(EMPTY_EXAMPLE_KEYS.map((key) => [key, []]));
  if (latest.nonFinite) throw new AtroposRefusal(500, 'Internal Server Error');
  const body = await parts.pool
    .assemble({ digests: [latest.payloadDigest], acceptsGzip: acceptsGzip(call.request), shape: 'group' })
    .catch((error: unknown) => {
      if (!BrokenPayloadsError.isInstance(error)) throw error;
      throw new LachesisError({
        code: 'gone',
        message: 'the payload of the latest group cannot be read any more',
        cause: error,
      });
    });
  await sendAndConfirm(call.reply, {
    status: 200,
    headers: {
      'content-type': 'application/json',
      'content-length': body.contentLength,
      ...(body.contentEncoding === null ? {} : { 'content-encoding': body.contentEncoding }),
    },
    chunks: body.chunks,
  });
  return call.reply;
}

function acceptsGzip(request: FastifyRequest): boolean {
  const header = request.headers['accept-encoding'];
  return typeof header === 'string' && /\bgzip\b/i.test(header) && !/\bgzip\s*;\s*q=0(?:\.0*)?\s*(?:,|$)/i.test(header);
}
