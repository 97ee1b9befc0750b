import { expect, test } from 'vitest';
import { asksForSweep, readSweepFlags } from './read-sweep-flags.ts';

test('the options of a sweep are taken out, and what the grid sets', () => {
  const flags = readSweepFlags([
    ...['--config', 'cpu_tiny', '--seeds', '3', '--grid', 'tinker.learning_rate=1e-4,3e-4', '--grid=env.group_size=8'],
    ...[
      '--tinker.learning-rate',
      '5',
      '--env.seed=4',
      '--metric',
      'eval/reward',
      '--any-port',
      '--env.total_steps',
      '9',
    ],
  ]);
  expect(flags).toMatchObject({
    seeds: [1, 2, 3],
    grid: { 'tinker.learning_rate': ['1e-4', '3e-4'], 'env.group_size': ['8'] },
    metric: 'eval/mean_reward',
    rest: ['--config', 'cpu_tiny', '--env.total_steps', '9'],
    parallel: 2,
    isHalving: false,
  });
  expect(readSweepFlags(['--seeds', '1,5']).seeds).toEqual([1, 5]);
});

test('one run is no sweep', () => {
  expect(asksForSweep(['--config', 'cpu_tiny', '--env.seed', '3'])).toBe(false);
  expect(asksForSweep(['--grid=tinker.learning_rate=1'])).toBe(true);
});
