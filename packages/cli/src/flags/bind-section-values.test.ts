import { expect, it } from 'vitest';
import { bindSectionValues } from './bind-section-values.ts';

it('binds the values of section flags of train, and leaves everything else', () => {
  const given = [
    'train',
    '--env.total_steps',
    '5',
    '--env.use_wandb',
    '--no-env.x',
    'a',
    '--tinker.seed=3',
    '--run',
    'r',
  ];
  expect(bindSectionValues(given)).toEqual([
    ...['train', '--env.total_steps=5', '--env.use_wandb', '--no-env.x', 'a', '--tinker.seed=3', '--run', 'r'],
  ]);
  expect(bindSectionValues(['env', 'serve', '--env.x', '5'])).toEqual(['env', 'serve', '--env.x', '5']);
});
