import type { TrajectoryApiSettings } from '../http/settings/trajectory-api-settings.ts';
import { resolveEnvironment } from './queue/environments.ts';
import { sequencesIn, type QueueState } from './queue/state.ts';
import { countWaiting, readShares } from './queue/weights.ts';

/** Which bound a run exceeds, in words for the sender, or null. */
export function findExcess(
  state: QueueState,
  settings: Pick<TrajectoryApiSettings, 'maxQueuedGroups' | 'maxQueuedBytes' | 'maxStaleness'> &
    Partial<Pick<TrajectoryApiSettings, 'strictAtropos'>>,
  api: 'atropos' | 'native',
  /** The environment that sends; where environments have different weights each has a bound of its own. */
  envId: number | null = null,
): string | null {
  if (state.readyGroups >= settings.maxQueuedGroups) return `${state.readyGroups} groups wait in this run`;
  if (state.readyBytes >= settings.maxQueuedBytes) return `${state.readyBytes} bytes wait in this run`;
  // Environments of the Atropos wire pace themselves by max_batches_offpolicy.
  if (api === 'atropos') return null;
  const { registration } = state.record;
  if (registration === null) return null;
  const limit = (registration.maxStaleness ?? settings.maxStaleness) * registration.batchSize;
  const shares = settings.strictAtropos === true ? undefined : readShares(state);
  const lane = shares?.laneOf(envId);
  if (shares !== undefined && lane !== undefined) {
    const own = countWaiting(state, shares, lane);
    // One group more than its share: what makes up a batch is not always the same number of each.
    const group = resolveEnvironment(state, envId)?.groupSize ?? 0;
    return own >= limit * lane.share + group ? `${own} sequences of this environment wait ahead of the trainer` : null;
  }
  const waiting =
    sequencesIn(state.queue) +
    state.batches.reduce((sum, batch) => sum + (batch.state === 'formed' ? sequencesIn(batch.groups) : 0), 0);
  return waiting >= limit ? `${waiting} sequences wait ahead of the trainer` : null;
}
