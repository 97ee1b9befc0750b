import type { TrajectoryApiSettings } from '../http/settings/trajectory-api-settings.ts';
import { sequencesIn, type QueueState } from './queue/state.ts';

/** Which bound a run exceeds, in words for the sender, or null. */
export function findExcess(
  state: QueueState,
  settings: Pick<TrajectoryApiSettings, 'maxQueuedGroups' | 'maxQueuedBytes' | 'maxStaleness'>,
  api: 'atropos' | 'native',
): string | null {
  if (state.readyGroups >= settings.maxQueuedGroups) return `${state.readyGroups} groups wait in this run`;
  if (state.readyBytes >= settings.maxQueuedBytes) return `${state.readyBytes} bytes wait in this run`;
  // Environments of the Atropos wire pace themselves by max_batches_offpolicy.
  if (api === 'atropos') return null;
  const { registration } = state.record;
  if (registration === null) return null;
  const limit = (registration.maxStaleness ?? settings.maxStaleness) * registration.batchSize;
  const waiting =
    sequencesIn(state.queue) +
    state.batches.reduce((sum, batch) => sum + (batch.state === 'formed' ? sequencesIn(batch.groups) : 0), 0);
  return waiting >= limit ? `${waiting} sequences wait ahead of the trainer` : null;
}
