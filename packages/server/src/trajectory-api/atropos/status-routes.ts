import type { z } from 'zod';
import {
  environmentIdentifierSchema,
  environmentStatusReplySchema,
  infoReplySchema,
  rootReplySchema,
  statusReplySchema,
  wandbInfoReplySchema,
} from '@lachesis/protocol';
import { defineRoute, sentByHand } from '../../http/define-route.ts';
import { bytesOf, jsonBody, type BodyRules } from '../../http/read-body.ts';
import { JSON_TYPE, type Route } from '../../http/route.ts';
import { countWaiting, readShares } from '../queue/weights.ts';
import { statusForEnvironment } from '../packing/status-for-environment.ts';
import { summarizeEnvironments, type StatusEnvironment } from '../packing/summarize-environments.ts';
import type { TrajectoryApiDeps } from '../deps.ts';
import { resolveEnvironment, setEnvironmentConnected, SILENT } from '../queue/environments.ts';
import { currentStep, type QueueState } from '../queue/state.ts';
import type { OpenRun } from '../run-directory.ts';
import { answerAsAtropos } from './answer.ts';
import { ATROPOS_BODY, AtroposRefusal } from './body-rules.ts';
import { renderFloat, renderObject } from './render-json.ts';

type RootReply = z.infer<typeof rootReplySchema>;

/** What environments and trainers read about a run. */
export function createStatusRoutes(deps: TrajectoryApiDeps): Route[] {
  const { runs, settings, monotonic } = deps;
  const countsFormed = !settings.strictAtropos;
  return [
    defineRoute({
      method: 'GET',
      path: '/',
      scope: 'public',
      perRun: true,
      summary: 'Say who answers here.',
      reply: rootReplySchema,
      handle: async (): Promise<RootReply> => ({ message: 'AtroposLib API' }),
    }),
    defineRoute({
      method: 'GET',
      path: '/wandb_info',
      scope: 'run:status',
      audit: 'none',
      perRun: true,
      summary: 'The metrics group and project the trainer registered.',
      reply: wandbInfoReplySchema,
      handle: async ({ principal, runName }) =>
        runs.open(principal.tenantId, runName).queue.read(({ record: { registration } }) => ({
          group: registration?.wandbGroup ?? null,
          project: registration?.wandbProject ?? null,
        })),
    }),
    defineRoute({
      method: 'GET',
      path: '/info',
      scope: 'run:status',
      audit: 'none',
      perRun: true,
      summary: 'Batch size and longest sequence, -1 while unknown.',
      reply: infoReplySchema,
      handle: async ({ principal, runName }) =>
        runs.open(principal.tenantId, runName).queue.read(({ record: { registration, carried } }) => ({
          batch_size: registration?.batchSize ?? -1,
          max_token_len: registration?.maxTokenLen ?? carried.maxTokenLen,
        })),
    }),
    defineRoute({
      method: 'GET',
      path: '/status',
      scope: 'run:status',
      audit: 'none',
      perRun: true,
      summary: 'Current step and groups waiting.',
      reply: statusReplySchema,
      handle: async ({ principal, runName }) =>
        runs.open(principal.tenantId, runName).queue.readCommitted((state) => ({
          current_step: currentStep(state, { countsFormed }),
          queue_size: state.statistics.groupCount,
        })),
    }),
    answerAsAtropos(
      defineRoute({
        method: 'GET',
        path: '/status-env',
        scope: 'run:status',
        audit: 'none',
        perRun: true,
        summary: 'What one environment needs to pace itself. The env_id comes as a JSON body, or as a query.',
        body: jsonBody(environmentIdentifierSchema, settings.strictAtropos ? ATROPOS_BODY : BODY_OR_QUERY),
        reply: sentByHand(JSON_TYPE, environmentStatusReplySchema),
        handle: async ({ body: { env_id: envId }, reply, principal, runName }) => {
          const run = runs.open(principal.tenantId, runName);
          const json = await run.queue.readCommitted((state) => renderStatus(state, envId, settings.strictAtropos));
          if (json === null) {
            if (settings.strictAtropos) throw new AtroposRefusal(500, 'Internal Server Error');
            throw new AtroposRefusal(
              404,
              `there is no environment ${envId} in this run; register it with /register-env`,
            );
          }
          await recordHeartbeat(run, envId, monotonic());
          return reply.type(JSON_TYPE).send(json);
        },
      }),
    ),
  ];
}

/** `fetch` sends no body with a GET: our own environments send the number as a query. */
const BODY_OR_QUERY: BodyRules = {
  ...ATROPOS_BODY,
  async prepare(request) {
    const { env_id: envId } = request.query as { env_id?: unknown };
    const isAsked = bytesOf(request).length === 0 && typeof envId === 'string' && /^\d{1,9}$/.test(envId);
    if (isAsked) return Buffer.from(JSON.stringify({ env_id: Number(envId) }));
    return (await ATROPOS_BODY.prepare?.(request)) ?? bytesOf(request);
  },
};

function renderStatus(state: QueueState, envId: number, isStrict: boolean): string | null {
  const environment = resolveEnvironment(state, envId);
  if (environment === undefined) return null;
  const status = statusForEnvironment({
    statistics: state.statistics,
    summary: summaryOf(state),
    environment: toStatusEnvironment(environment),
    envId,
  });
  // Without any weight the original divides by zero; an even share keeps the environment alive.
  if (status.env_weight === null && isStrict) return null;
  // As the original writes it back. Not stored: it can be worked out again from the queue.
  environment.groupSize = status.env_group_size;
  const shares = isStrict ? undefined : readShares(state);
  const lane = shares?.laneOf(environment.ordinal);
  return renderObject({
    current_step: String(currentStep(state, { countsFormed: !isStrict })),
    queue_size: String(
      shares === undefined || lane === undefined
        ? status.queue_size
        : paceByShare({
            ...{ waiting: countWaiting(state, shares, lane), share: lane.share, groupSize: status.env_group_size },
          }),
    ),
    unallocated_fraction: renderFloat(status.unallocated_fraction),
    self_queue_size: String(status.self_queue_size),
    max_group_size: String(status.max_group_size),
    env_weight: renderFloat(status.env_weight ?? 1 / state.environments.length),
    ...(lane === undefined ? {} : { batch_share: renderFloat(lane.share) }),
  });
}

/**
 * Environments of the Atropos wire send no more while so many groups wait as make up the batches they may run ahead. With a
 * share of the batches an environment's own groups stand for more than themselves; one of them is free, as in `findExcess`.
 */
function paceByShare({ waiting, share, groupSize }: { waiting: number; share: number; groupSize: number }): number {
  const groups = waiting / Math.max(1, groupSize);
  return Math.floor(Math.max(0, groups - 1) / share);
}

function toStatusEnvironment(environment: QueueState['environments'][number]): StatusEnvironment {
  return {
    envId: environment.ordinal,
    connected: environment.connected,
    minBatchAllocation: environment.minBatchAllocation,
    maxContextLength: environment.maxContextLen,
    weight: environment.weight,
    groupSize: environment.groupSize,
  };
}

type Summary = ReturnType<typeof summarizeEnvironments>;
const summaries = new WeakMap<QueueState, { revision: number; batchSize: number; summary: Summary }>();

/** The sums over all environments, kept until an environment comes, goes or changes its connection. */
function summaryOf(state: QueueState): Summary {
  const batchSize = state.record.registration?.batchSize ?? 0;
  const known = summaries.get(state);
  if (known?.revision === state.environmentsRevision && known.batchSize === batchSize) return known.summary;
  const summary = summarizeEnvironments({ batchSize, environments: state.environments.map(toStatusEnvironment) });
  summaries.set(state, { revision: state.environmentsRevision, batchSize, summary });
  return summary;
}

/** Notes that an environment is alive, and takes it back in when it had been given up as silent. */
export async function recordHeartbeat(run: OpenRun, envId: number | null, now: number): Promise<void> {
  const environment = run.queue.cached === null ? undefined : resolveEnvironment(run.queue.cached, envId);
  if (environment === undefined) return;
  run.heardAt.set(environment.ordinal, now);
  if (environment.connected || environment.disconnectReason !== SILENT) return;
  await run.queue.execute((transaction) => {
    const current = transaction.state.environments[environment.ordinal];
    if (current !== undefined)
      setEnvironmentConnected(transaction, current, { connected: true, reason: 'heard again' });
  });
}
