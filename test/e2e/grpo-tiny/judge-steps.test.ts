import { expect, test } from 'vitest';

import { judgeSteps } from './judge-steps.ts';
import type { StepRow } from './judge-steps.ts';

const row = (step: number, change: Partial<StepRow> = {}): StepRow => ({
  ...{ step, state: 'done', batchId: `batch-${step}`, groups: 4, modelId: 'model' },
  ...change,
});
const engine = (counts: Record<string, number>) => ({
  batchSize: 64,
  optimizerSteps: new Map(
    Object.entries(counts).map(([model, count]) => [model, Array.from({ length: count }, () => 64)]),
  ),
});
const steps = [row(1), row(2), row(3, { state: 'empty', modelId: null }), row(4)];

test('a run that stepped each batch once is in order', () => {
  expect(judgeSteps({ steps, ...engine({ model: 3 }) })).toEqual({
    ...{ done: 3, batchesTwice: [], surplus: 0, missing: 0, overfull: 0, groups: 16, lost: 0 },
  });
});

test('a batch that is stepped a second time is seen in the engine, and in the ledger if it is told', () => {
  expect(judgeSteps({ steps, ...engine({ model: 4 }) }).surplus).toBe(1);
  const told = judgeSteps({
    steps: [...steps, row(5, { batchId: 'batch-4' })],
    ...engine({ model: 4 }),
  });
  expect(told).toMatchObject({ batchesTwice: ['batch-4'], surplus: 0 });
});

test('a step that is only in the ledger is missed', () => {
  expect(judgeSteps({ steps, ...engine({ model: 2 }) }).missing).toBe(1);
});

test('a lost step may be in the model that was given up, and in no other', () => {
  const lossy = [row(1), row(2, { state: 'lost' }), row(3, { batchId: 'batch-2', modelId: 'next' })];
  for (const [old, surplus] of [
    [1, 0],
    [2, 0],
    [3, 1],
  ] as const) {
    const judged = judgeSteps({
      steps: lossy,
      ...engine({ model: old, next: 1 }),
    });
    expect(judged).toMatchObject({ surplus, missing: 0, batchesTwice: [], lost: 1 });
  }
});

test('a step whose gradients were sent twice is seen by their number', () => {
  const optimizerSteps = new Map([['model', [64, 128, 48]]]);
  expect(judgeSteps({ steps, optimizerSteps, batchSize: 64 })).toMatchObject({ overfull: 1, surplus: 0, missing: 0 });
});
