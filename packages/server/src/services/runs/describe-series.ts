/** What series mean whose names do not say it all; by the end of the name, which the name of an environment may precede. */
const MEANINGS: Readonly<Record<string, string>> = Object.freeze({
  percent_correct:
    'share of scored rollouts that count as correct: signal `correct` of at least 0.5 where grading gives one, else a reward of at least 0.5',
  'train/mean_reward': 'mean reward of all scored rollouts of the step, those of groups that were resampled too',
  'eval/mean_reward': 'mean reward of the evaluation, with the weights of the step',
  'reward/mean': 'mean reward of the rollouts that were trained on; train/mean_reward has all of them',
  'policy/entropy_estimate':
    'an estimate of the entropy of the policy in nats a token: minus the mean log probability of what was sampled',
  'replies/most_common_share': 'share of the reply that was given most often, by its tokens',
  'throughput/tokens_per_second': 'tokens of the batch, prompts included, by the time of the whole step',
  'time/rollout_seconds': 'mean time from drawing an item to its graded group',
  'time/queue_seconds': 'mean time a group waited for its batch to be taken',
  'time/train_seconds': 'from the first request to the engine to its last result, saving the weights included',
  'time/publish_seconds': 'until the new weights were served',
  'cost/total': 'US dollars of the run so far, by the price table',
});

/** A sentence for each series that has one. */
export function describeSeries(series: readonly string[]): Record<string, string> {
  const found = series.flatMap((name) => {
    const end = Object.keys(MEANINGS).find((known) => name === known || name.endsWith(`/${known}`));
    const meaning = end === undefined ? undefined : MEANINGS[end];
    return meaning === undefined ? [] : [[name, meaning] as const];
  });
  return Object.fromEntries(found);
}
