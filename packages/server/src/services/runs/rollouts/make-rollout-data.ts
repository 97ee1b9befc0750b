import type { RolloutData, RolloutsToDataOptions } from './rollouts-to-data.ts';

/** Makes a data set of what a run has rolled out. Each row says from which run, step, group and rollout it is. */
export async function rolloutsToData(options: RolloutsToDataOptions): Promise<RolloutData> {
  // Loaded when it is asked for: parents of stations come through the same entry, and stay small without the formats.
  const { rolloutsToData: make } = await import('./rollouts-to-data.ts');
  return make(options);
}
