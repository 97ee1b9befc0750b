import { batchReplySchema, EMPTY_EXAMPLE_KEYS, LachesisError } from '@lachesis/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { defineRoute, jsonOrByHand } from '../../http/define-route.ts';
import type { Route, RouteCall } from '../../http/route.ts';
import { sendAndConfirm } from '../../http/send-and-confirm.ts';
import { BrokenPayloadsError } from '../ingest/ingest-pool.ts';
import type { TrajectoryApiDeps } from '../deps.ts';
import { answerAsAtropos } from './answer.ts';
import { AtroposRefusal } from './body-rules.ts';

type BatchReply = z.infer<typeof batchReplySchema>;

/** How long one reply may take to leave. After that the batch goes to somebody else. */
const SENDING_LEASE_MS = 120_000;

const UNREGISTERED: BatchReply = {
  status: 'error',
  message: 'Trainer not registered. Call /register first.',
  batch: [],
};

/** Batches for unmodified Atropos trainers. */
export function createBatchRoutes(deps: TrajectoryApiDeps): Route[] {
  return [
    answerAsAtropos(
      defineRoute({
        method: 'GET',
        path: '/batch',
        scope: 'trainer:pull',
        perRun: true,
        summary: 'The next batch, or null. It counts as delivered once the whole reply has left.',
        reply: jsonOrByHand(batchReplySchema),
        handle: (call) => handleBatch(deps, call),
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
        handle: (call) => handleLatest(deps, call),
      }),
    ),
  ];
}

async function handleBatch(deps: TrajectoryApiDeps, call: RouteCall): Promise<BatchReply | FastifyReply> {
  for (;;) {
    const taken = await deps.ask(call, 'takePlain', {
      server: deps.instanceId,
      takeId: deps.replica === null ? null : deps.nextId(),
      leaseMs: SENDING_LEASE_MS,
    });
    if (taken.kind === 'unregistered') return UNREGISTERED;
    if (taken.kind === 'empty') return { batch: null };
    if (taken.isNotFinite) {
      await deps.ask(call, 'dropBatch', { ...taken.claim, reason: 'not-finite' });
      throw new AtroposRefusal(500, 'Internal Server Error');
    }
    try {
      const body = await deps.pool.assemble({
        digests: taken.digests,
        acceptsGzip: acceptsGzip(call.request),
        shape: 'batch',
      });
      await deliver(deps, call, taken.claim, body);
      return call.reply;
    } catch (error) {
      if (!BrokenPayloadsError.isInstance(error)) {
        await giveBack(deps, call, taken.claim, 'assembly-failed');
        throw error;
      }
      const broken = new Set(error.digests);
      const groupIds = taken.groupIds.filter((_, index) => broken.has(taken.digests[index] ?? ''));
      deps.log.error({ digests: error.digests, groupIds }, 'payloads cannot be read; their groups are quarantined');
      await deps.ask(call, 'quarantineFromBatch', { ...taken.claim, groupIds, reason: 'payload-unreadable' });
    }
  }
}

interface Claim {
  batchId: string;
  epoch: number;
}

async function deliver(
  deps: TrajectoryApiDeps,
  call: RouteCall,
  claim: Claim,
  body: { chunks: Uint8Array[]; contentEncoding: 'gzip' | null; contentLength: number },
): Promise<void> {
  const isFlushed = await sendAndConfirm(call.reply, {
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
    await giveBack(deps, call, claim, 'reply-not-flushed');
    return;
  }
  deps.metrics.delivered.inc({ api: 'atropos' });
  await deps.ask(call, 'finishBatch', { ...claim, fate: 'delivered' });
}

async function giveBack(deps: TrajectoryApiDeps, call: RouteCall, claim: Claim, reason: string): Promise<void> {
  deps.log.info({ ...claim, reason }, 'batch returned');
  await deps.ask(call, 'returnBatch', { ...claim, reason });
}

async function handleLatest(deps: TrajectoryApiDeps, call: RouteCall): Promise<FastifyReply | Record<string, unknown>> {
  const latest = await deps.ask(call, 'latest', {});
  if (latest === null) return Object.fromEntries(EMPTY_EXAMPLE_KEYS.map((key) => [key, []]));
  if (latest.nonFinite) throw new AtroposRefusal(500, 'Internal Server Error');
  const body = await deps.pool
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
