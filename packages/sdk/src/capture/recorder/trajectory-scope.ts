import { AsyncLocalStorage } from 'node:async_hooks';
import type { RecordLabels } from './record-draft.ts';

const scopes = new AsyncLocalStorage<RecordLabels>();

/** Gives labels to every call that is recorded inside, however deep: one conversation, one person. Scopes add up. */
export function inTrajectory<T>(labels: RecordLabels | string, run: () => T): T {
  const added = typeof labels === 'string' ? { trajectory: labels } : labels;
  return scopes.run(joinLabels(scopes.getStore(), added), run);
}

export const currentLabels = (): RecordLabels => scopes.getStore() ?? {};

/** The later ones win; tags and metadata add up. */
export function joinLabels(...labels: readonly (RecordLabels | undefined)[]): RecordLabels {
  const joined: RecordLabels = {};
  for (const label of labels) {
    if (label === undefined) continue;
    if (label.trajectory !== undefined) joined.trajectory = label.trajectory;
    if (label.user !== undefined) joined.user = label.user;
    if (label.consent !== undefined) joined.consent = label.consent;
    if (label.tags !== undefined) joined.tags = [...new Set([...(joined.tags ?? []), ...label.tags])];
    if (label.metadata !== undefined) joined.metadata = { ...joined.metadata, ...label.metadata };
  }
  return joined;
}
