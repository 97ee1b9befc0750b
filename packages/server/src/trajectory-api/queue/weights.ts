import type { ReadyGroupRecord } from '@lachesis/store';
import type { WeightedLane } from '../packing/form-weighted-batches.ts';
import type { QueueState } from './state.ts';

/** How batches are shared among environments of different weight. */
export interface EnvironmentShares {
  readonly lanes: readonly WeightedLane[];
  /** Of every environment of a lane, those that have left included. */
  laneOf(envId: number | null): WeightedLane | undefined;
  /** Names the lanes and their shares: what was counted for others is counted anew. */
  readonly key: string;
}

/** As the status tells it: no environment is left with nothing. */
const LEAST_SHARE = 0.01;

const known = new WeakMap<QueueState, { revision: number; shares: EnvironmentShares | undefined }>();

/**
 * The shares of the environments that are connected; undefined while nobody asks for any: all weights are equal, or minimum
 * allocations say how batches are made. Environments of one name and one weight are one: a process that was started again
 * registers anew, and takes up the share of the one before.
 */
export function readShares(state: QueueState): EnvironmentShares | undefined {
  const last = known.get(state);
  if (last?.revision === state.environmentsRevision) return last.shares;
  const shares = computeShares(state);
  known.set(state, { revision: state.environmentsRevision, shares });
  return shares;
}

function computeShares({ environments }: QueueState): EnvironmentShares | undefined {
  const connected = environments.filter((environment) => environment.connected);
  if (connected.some(({ minBatchAllocation }) => minBatchAllocation !== null)) return undefined;
  const weights = new Map(connected.map((environment) => [laneKey(environment), Math.max(0, environment.weight)]));
  if (new Set(weights.values()).size < 2) return undefined;
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const floored = [...weights].map(([key, weight]) => ({ key, share: Math.max(LEAST_SHARE, weight / total) }));
  const sum = floored.reduce((all, { share }) => all + share, 0);
  const lanes = floored.map(({ key, share }) => ({ key, share: share / sum }));
  const byKey = new Map(lanes.map((lane) => [lane.key, lane]));
  return {
    lanes,
    laneOf: (envId) => {
      const environment = envId === null ? undefined : environments.at(envId);
      return environment === undefined ? undefined : byKey.get(laneKey(environment));
    },
    key: JSON.stringify(lanes.map(({ key, share }) => [key, share])),
  };
}

/** Beyond so many environments nothing is counted for one that comes later: each would be a number in the row. */
const MOST_COUNTED = 100;
/** Batches that an environment which comes later may make up for; what it missed before that is past. */
const MADE_UP_BATCHES = 4;

/** What each lane has in batches, with these; undefined where there are too many to count. */
export function countPacked(
  state: QueueState,
  groups: readonly ReadyGroupRecord[],
): Record<string, number> | undefined {
  if (state.environments.length > MOST_COUNTED) return undefined;
  const packed = { ...state.record.weighted?.packed };
  for (const { envId, sequenceCount } of groups) {
    const environment = envId === null ? undefined : state.environments.at(envId);
    if (environment === undefined) continue;
    packed[laneKey(environment)] = (packed[laneKey(environment)] ?? 0) + sequenceCount;
  }
  return packed;
}

/**
 * What counts as packed under these shares. Lanes that were there before them keep their counts, and one that comes now is
 * behind by what the others were given without it, within bounds: one that starts slower than the others has its share all the
 * same, and one that comes after a day does not fill every batch.
 */
export function readPacked(state: QueueState, shares: EnvironmentShares, batchSize: number): Record<string, number> {
  const { key, packed = {} } = state.record.weighted ?? {};
  if (key === shares.key) return packed;
  const furthest = Math.max(0, ...shares.lanes.map((lane) => (packed[lane.key] ?? 0) / lane.share));
  const least = Math.max(0, furthest - MADE_UP_BATCHES * batchSize);
  return Object.fromEntries(
    shares.lanes.map((lane) => [lane.key, Math.max(packed[lane.key] ?? 0, Math.round(lane.share * least))]),
  );
}

const laneKey = ({ desiredName, weight }: QueueState['environments'][number]): string => `${desiredName} ${weight}`;

/** Sequences of a lane that wait, in formed batches too. */
export function countWaiting(state: QueueState, shares: EnvironmentShares, lane: WeightedLane): number {
  return state.environments.reduce(
    (sum, { ordinal }) => (shares.laneOf(ordinal) === lane ? sum + state.statistics.countSequencesOf(ordinal) : sum),
    0,
  );
}
