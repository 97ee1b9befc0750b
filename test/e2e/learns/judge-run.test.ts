import { expect, test } from 'vitest';

import { judgeMutant } from './judge-run.ts';
import type { RunFacts } from './judge-run.ts';

const rewards = (share: number): number[][] =>
  Array.from({ length: 6 }, () => Array.from({ length: 16 }, (_, index) => Number(index < share * 16)));
const facts = (share: number, rest: Partial<RunFacts> = {}): RunFacts => ({
  ...{ steps: 30, after: rewards(share), trained: share - 0.3125, firstRatio: 1, firstDrift: 0 },
  ...rest,
});
const judge = (fault: Parameters<typeof judgeMutant>[0], mutant: RunFacts): boolean =>
  judgeMutant(fault, {
    ...{ start: rewards(0.3125), chance: 1 / 3, honest: facts(0.9375), rival: { steps: 20, trained: 0.3 } },
    ...{ mutant, seed: 1 },
  }).ok;

test('an honest run is taken for none of the mutants', () => {
  for (const fault of ['prompt-blind', 'shuffled-rewards', 'wrong-sign'] as const) {
    expect(judge(fault, facts(0.9375))).toBe(false);
  }
});

test('who stands still is no wrong sign and no blind trainer', () => {
  expect(judge('wrong-sign', facts(0.3125))).toBe(false);
  expect(judge('prompt-blind', facts(0.3125))).toBe(false);
  expect(judge('wrong-sign', facts(0.0625, { steps: 9 }))).toBe(true);
  expect(judge('prompt-blind', facts(0.3125, { firstRatio: 1.3, steps: 1 }))).toBe(true);
  // Seed 4180 of lookup: every reply was less likely to the blind learner, so that no ratio was above 1.
  expect(judge('prompt-blind', facts(0.1875, { firstRatio: 1.0005, firstDrift: 6.4, steps: 1 }))).toBe(true);
});

test('shuffled rewards have as many steps as the honest run needed in training, and stay at chance', () => {
  expect(judge('shuffled-rewards', facts(0.3125))).toBe(true);
  expect(judge('shuffled-rewards', facts(0.3125, { steps: 19 }))).toBe(false);
  expect(judge('shuffled-rewards', facts(0.3125, { trained: 0.2 }))).toBe(false);
  expect(judge('shuffled-rewards', facts(0.3125, { trained: Number.NaN }))).toBe(false);
  expect(judge('shuffled-rewards', facts(0.5, { trained: 0 }))).toBe(false);
});

test('a figure that is no number catches nothing', () => {
  expect(judge('prompt-blind', facts(0.3125, { firstRatio: Number.NaN, firstDrift: Number.NaN }))).toBe(false);
  expect(judge('wrong-sign', facts(0, { after: rewards(0).map(() => [Number.NaN]), steps: 9 }))).toBe(false);
});
