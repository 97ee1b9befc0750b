import { statusForEnvironment } from '../packing/status-for-environment.ts';
import { summarizeEnvironments, type StatusEnvironment } from '../packing/summarize-environments.ts';
import { resolveEnvironment } from '../queue/environments.ts';
import { currentStep, type QueueState } from '../queue/state.ts';
import { countWaiting, readShares } from '../queue/weights.ts';
import { renderFloat, renderObject } from './render-json.ts';

/** What one environment needs to pace itself, as the text of the reply; null when it is unknown. */
export function renderEnvironmentStatus(state: QueueState, envId: number, isStrict: boolean): string | null {
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
