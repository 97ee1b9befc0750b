import {
  batchAckSchema,
  batchNackSchema,
  batchRenewSchema,
  batchRequestSchema,
  batchSettlementSchema,
  GROUP_FRAMES_CONTENT_TYPE,
  LachesisError,
  leaseReplySchema,
  registrationReplySchema,
  registrationRequestSchema,
  type BatchSettlement,
  type LeasedBatch,
} from '@lachesis/protocol';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { defineRoute, sentByHand } from '../../http/define-route.ts';
import { jsonBody } from '../../http/read-body.ts';
import type { Route, RouteCall } from '../../http/route.ts';
import { sendAndConfirm } from '../../http/send-and-confirm.ts';
import { BrokenPayloadsError } from '../ingest/ingest-pool.ts';
import type { TrajectoryApiDeps } from '../deps.ts';
import { findSettledBatch } from './find-settled-batch.ts';

/** A hundred thousand ids of groups. */
const NACK_BYTES = 4 * 1024 ** 2;
/** A waiting trainer looks again this often when another process may have pushed. */
const LOOK_AGAIN_MS = 250;

/** Batches under lease for native trainers. */
export function createNativeBatchRoutes(deps: TrajectoryApiDeps): Route[] {
  const { ask } = deps;
  return [
    defineRoute({
      method: 'PUT',
      path: '/v1/registration',
      scope: 'trainer:pull',
      audit: 'line',
      perRun: true,
      summary: 'Register the trainer of a run. The first registration counts; the reply says what is in force.',
      body: jsonBody(registrationRequestSchema),
      reply: registrationReplySchema,
      handle: async (call) => {
        const { body } = call;
        return ask(call, 'registerTrainer', {
          wandbGroup: body.wandb_group ?? '',
          wandbProject: body.wandb_project ?? '',
          batchSize: body.batch_size,
          maxTokenLen: body.max_token_len ?? -1,
          checkpointDir: body.checkpoint_dir ?? '',
          saveCheckpointInterval: body.save_checkpoint_interval ?? -1,
          startingStep: body.starting_step ?? 0,
          numSteps: body.num_steps ?? -1,
          maxStaleness: body.max_staleness ?? null,
        });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/batches',
      scope: 'trainer:pull',
      perRun: true,
      summary: 'Lease the next batch, waiting for one if asked to. It comes back when the lease ends unsettled.',
      body: jsonBody(batchRequestSchema),
      reply: leaseReplySchema,
      handle: async (call) => ({ batch: await leaseBatch(deps, call) }),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/batches/:batch/groups',
      scope: 'trainer:pull',
      perRun: true,
      summary: 'The packed groups of a leased batch, each behind its length. The epoch comes as a query parameter.',
      query: z.object({ epoch: z.int().min(0) }),
      reply: sentByHand(GROUP_FRAMES_CONTENT_TYPE),
      handle: (call) => sendGroups(deps, call, { batchId: call.params.batch, epoch: call.query.epoch }),
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/batches/:batch/renew',
      scope: 'trainer:pull',
      perRun: true,
      summary: 'Hold a lease longer.',
      body: jsonBody(batchRenewSchema),
      reply: batchSettlementSchema,
      handle: async (call): Promise<BatchSettlement> => {
        const { epoch, lease_seconds: seconds = deps.settings.batchLeaseSeconds } = call.body;
        const { batch: batchId } = call.params;
        const answer = await ask(call, 'renewLease', { batchId, epoch, leaseMs: seconds * 1000 });
        if (answer.kind === 'stale') throw fence(deps, batchId, epoch);
        return { batch_id: batchId, epoch, status: 'leased', replayed: false, lease_seconds: seconds };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/batches/:batch/ack',
      scope: 'trainer:pull',
      perRun: true,
      summary: 'The batch was trained on. Counted once, whatever is retried.',
      body: jsonBody(batchAckSchema),
      reply: batchSettlementSchema,
      handle: async (call): Promise<BatchSettlement> => {
        const { epoch, step, policy_version: policyVersion } = call.body;
        const { batch: batchId } = call.params;
        const answer = await ask(call, 'finishBatch', { batchId, epoch, fate: 'trained', step, policyVersion });
        if (answer.kind === 'stale') {
          const settled = await findSettledBatch(deps.store, { tenantId: call.principal.tenantId, batchId });
          // The answer to the first ack was lost; this is its retry.
          if (settled?.fate === 'trained' && settled.epoch === epoch) {
            return { batch_id: batchId, epoch, status: 'trained', replayed: true };
          }
          throw fence(deps, batchId, epoch);
        }
        deps.metrics.delivered.inc({ api: 'native' });
        return { batch_id: batchId, epoch, status: 'trained', replayed: false };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/batches/:batch/nack',
      scope: 'trainer:pull',
      perRun: true,
      summary: 'The batch could not be used. It is handed out again; five failures put a group into quarantine.',
      body: jsonBody(batchNackSchema),
      maxBodyBytes: NACK_BYTES,
      reply: batchSettlementSchema,
      handle: async (call): Promise<BatchSettlement> => {
        const { epoch, reason, group_ids: groupIds = [] } = call.body;
        const { batch: batchId } = call.params;
        const answer = await ask(call, 'rejectBatch', { batchId, epoch, reason, groupIds });
        if (answer.kind === 'stale') throw fence(deps, batchId, epoch);
        return { batch_id: batchId, epoch, status: 'returned', replayed: false, quarantined: answer.quarantined };
      },
    }),
  ];
}

async function leaseBatch(
  deps: TrajectoryApiDeps,
  call: RouteCall & { body: z.output<typeof batchRequestSchema> },
): Promise<LeasedBatch | null> {
  const { reply, body } = call;
  const { waiters } = deps.runs.open(call.principal.tenantId, call.runName);
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const until = deps.monotonic() + body.wait_seconds * 1000;
  const { lease_seconds: seconds = deps.settings.batchLeaseSeconds } = body;
  for (;;) {
    if (gone.signal.aborted) return null;
    const leased = await deps.ask(call, 'takeLeased', { consumer: body.consumer, seconds });
    if (leased === 'unregistered') throw refuseUnregistered();
    const left = until - deps.monotonic();
    if (leased !== null || left <= 0) return leased;
    await waiters.wait(Math.min(left, LOOK_AGAIN_MS), gone.signal);
  }
}

async function sendGroups(
  deps: TrajectoryApiDeps,
  call: RouteCall,
  { batchId, epoch }: { batchId: string; epoch: number },
): Promise<FastifyReply> {
  const held = await deps.ask(call, 'findHeld', { batchId, epoch });
  if (held === null) throw fence(deps, batchId, epoch);
  try {
    const { chunks, contentLength } = await deps.pool.readFrames({ digests: held.map((group) => group.digest) });
    await sendAndConfirm(call.reply, {
      status: 200,
      headers: { 'content-type': GROUP_FRAMES_CONTENT_TYPE, 'content-length': contentLength },
      chunks,
    });
    return call.reply;
  } catch (error) {
    if (!BrokenPayloadsError.isInstance(error)) throw error;
    const broken = new Set(error.digests);
    const groupIds = held.filter((group) => broken.has(group.digest)).map((group) => group.groupId);
    await deps.ask(call, 'quarantineFromBatch', { batchId, epoch, groupIds, reason: 'payload-unreadable' });
    throw new LachesisError({
      code: 'gone',
      message: `${groupIds.length} payloads of batch ${batchId} cannot be read; their groups are quarantined`,
      hint: 'Lease the next batch: the healthy groups are queued again.',
    });
  }
}

function refuseUnregistered(): LachesisError {
  return new LachesisError({
    code: 'conflict',
    message: 'no trainer is registered with this run',
    hint: 'PUT /v1/registration with a batch_size first.',
  });
}

function fence(deps: TrajectoryApiDeps, batchId: string, epoch: number): LachesisError {
  deps.metrics.fenced.inc();
  return new LachesisError({
    code: 'stale-lease',
    message: `batch ${batchId} is not held under epoch ${epoch} any more`,
    hint: 'Drop what you have of it and lease again; renew at a third of the lease to keep one.',
  });
}
