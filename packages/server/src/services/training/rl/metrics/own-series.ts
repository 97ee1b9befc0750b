/** Only environments can measure these, although their group is the trainer's. */
const OF_ENVIRONMENTS = new Set(['time/rollout_seconds', 'time/queue_seconds']);

const OWN_GROUPS = [
  ...['advantages', 'cost', 'length', 'logprobs', 'numerics', 'optimizer', 'policy', 'ratio', 'replies', 'reward'],
  ...['rlhf', 'throughput', 'time'],
];

/** Under `train/` environments write too; these names there are the trainer's. */
const OWN_NAMES = new Set(
  [
    ...['loss', 'loss_sum', 'learning_rate', 'policy_version', 'groups', 'dead_groups', 'trained_tokens'],
    ...['sequence_length', 'staleness_mean', 'staleness_max'],
  ].map((name) => `train/${name}`),
);

/** Whether the trainer itself writes a series of that name. */
export function isOwnSeries(name: string): boolean {
  if (OF_ENVIRONMENTS.has(name)) return false;
  return OWN_NAMES.has(name) || name.startsWith('train/left_out_') || OWN_GROUPS.includes(name.split('/')[0] ?? '');
}

/** The name an environment's series is kept under: never one that the trainer writes, so that no chart mixes the two. */
export const nameEnvironmentSeries = (name: string): string => (isOwnSeries(name) ? `env/${name}` : name);
