import { expect, test } from 'vitest';
import { describeSeries } from './describe-series.ts';

test('says from where on a reply is correct, for whichever split and environment', () => {
  const told = describeSeries(['train/percent_correct', 'eval/percent_correct', 'digits/eval/percent_correct', 'own']);
  expect(Object.keys(told)).toEqual(['train/percent_correct', 'eval/percent_correct', 'digits/eval/percent_correct']);
  for (const sentence of Object.values(told)) expect(sentence).toContain('a reward of at least 0.5');
});

test('the mean reward of training and of evaluation are not the same thing', () => {
  const told = describeSeries(['train/mean_reward', 'eval/mean_reward', 'reward/mean']);
  expect(new Set(Object.values(told)).size).toBe(3);
});
