import type { QueueStatistics } from './queue-statistics.ts';
import type { EnvironmentsSummary, StatusEnvironment } from './summarize-environments.ts';

/** No environment is told a smaller weight, so that none starves. */
const LEAST_ENVIRONMENT_WEIGHT = 0.01;

/** The part of a status reply that follows from queue and environments, by the names of the wire. */
export interface EnvironmentStatus {
  /** Null when all connected environments together weigh nothing: see `computeEnvironmentWeight`. */
  env_weight: number | null;
  /** Groups of this environment's size that it could take part in a batch with. */
  queue_size: number;
  /** Groups this environment itself has queued. */
  self_queue_size: number;
  max_group_size: number;
  unallocated_fraction: number;
  /** Not on the wire: the caller stores it as the environment's `groupSize`, which then decides what is buffered. */
  env_group_size: number;
}

export function statusForEnvironment(options: {
  statistics: QueueStatistics;
  summary: EnvironmentsSummary;
  environment: StatusEnvironment;
  /** The id the peer asked with, if not the record's own: a negative one finds a record from the end, yet only groups sent with that same id are its own. */
  envId?: number;
}): EnvironmentStatus {
  const { statistics, summary, environment, envId = environment.envId } = options;
  const groupSize = Math.max(environment.groupSize, statistics.findLargestGroupOf(envId) ?? -Infinity);
  const ownSequences = statistics.countSequencesOf(envId);
  const available = statistics.countAvailableFromOthers(envId, summary);
  return {
    env_weight: computeEnvironmentWeight({ environment, summary }),
    queue_size: countWholeGroups(ownSequences + available, groupSize),
    self_queue_size: countWholeGroups(ownSequences, groupSize),
    max_group_size: Math.max(1, statistics.largestGroup),
    unallocated_fraction: summary.unallocatedFraction,
    env_group_size: groupSize,
  };
}

/**
 * The environment's share of all weight, at least 0.01, or null when there is no weight to share: the peers' server
 * fails there, and what to answer instead is for the caller to say.
 */
export function computeEnvironmentWeight(options: {
  environment: Pick<StatusEnvironment, 'maxContextLength' | 'weight'>;
  summary: Pick<EnvironmentsSummary, 'totalWeight'>;
}): number | null {
  const { environment, summary } = options;
  if (summary.totalWeight === 0) return null;
  const share = (environment.maxContextLength * environment.weight) / summary.totalWeight;
  return share > LEAST_ENVIRONMENT_WEIGHT ? share : LEAST_ENVIRONMENT_WEIGHT;
}

/** A registered group size of 0 counts sequences, as there is nothing to divide by. Adding 0 turns -0 into 0. */
function countWholeGroups(sequences: number, groupSize: number): number {
  return Math.floor(sequences / (groupSize === 0 ? 1 : groupSize)) + 0;
}
