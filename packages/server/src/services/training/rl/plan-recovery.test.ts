import type { StepRecord } from '@lachesis/store';
import { expect, test } from 'vitest';

import { planRecovery } from './plan-recovery.ts';

const row = (step: number, state: StepRecord['state'], change: Partial<StepRecord> = {}): StepRecord => ({
  step,
  state,
  batchId: `b${step}`,
  epoch: 1,
  groupCount: 1,
  modelId: state === 'leased' ? null : 'm',
  firstSequence: 10 * step,
  policyVersion: null,
  weightsPath: null,
  statePath: null,
  reason: null,
  startedAt: 0,
  endedAt: null,
  ...change,
});

function plan(unfinished: StepRecord[], taken: [number, string][] = [], change: object = {}) {
  const { attach, reason, actions } = planRecovery({
    unfinished,
    lastModelId: 'm',
    poisoned: undefined,
    repeatsSafely: true,
    takenSince: (_model, from) =>
      taken.map(([sequence, operation]) => ({ sequence, operation })).filter(({ sequence }) => sequence >= from),
    ...change,
  });
  return { attach, reason, actions: actions.map(({ step, action }) => `${step.step} ${action}`) };
}

const PASS = 'forward_backward';

test('a model without open steps is simply trained on', () => {
  expect(plan([])).toEqual({ attach: 'm', reason: undefined, actions: [] });
});

test('a step whose optimiser the engine took is in the weights, whatever the ledger says', () => {
  const taken: [number, string][] = [
    [50, PASS],
    [51, 'optim_step'],
  ];
  expect(plan([row(5, 'submitted')], taken).actions).toEqual(['5 complete']);
  expect(plan([row(5, 'passed')], taken).actions).toEqual(['5 complete']);
  expect(plan([row(5, 'stepped')]).actions).toEqual(['5 complete']);
  expect(plan([row(5, 'saved')]).actions).toEqual(['5 complete']);
});

test('requests of the step before do not count for this one', () => {
  expect(plan([row(5, 'submitted')], [[49, 'optim_step']]).actions).toEqual(['5 retake']);
});

test('gradients that are all there want the optimiser alone', () => {
  expect(plan([row(5, 'passed')], [[50, PASS]])).toMatchObject({ attach: 'm', actions: ['5 apply'] });
});

test('a step of which nothing was taken is made again on the same model', () => {
  expect(plan([row(5, 'submitted')])).toMatchObject({ attach: 'm', actions: ['5 retake'] });
});

test('gradients that are perhaps half there give the model up', () => {
  const given = plan([row(5, 'submitted'), row(6, 'leased')], [[50, PASS]]);
  expect(given).toMatchObject({ attach: undefined, actions: ['5 retake', '6 retake'] });
  expect(given.reason).toContain('step 5');
});

test('where repeating is not safe, not knowing gives the model up too', () => {
  expect(plan([row(5, 'submitted')], [], { repeatsSafely: false }).attach).toBeUndefined();
});

test('a poisoned model is not attached to, and steps it held are not taken again here', () => {
  const given = plan([row(5, 'saved'), row(6, 'submitted')], [], { poisoned: 'its numbers are not finite' });
  expect(given).toEqual({ attach: undefined, reason: 'its numbers are not finite', actions: ['6 retake'] });
});

test('two steps in flight are each judged by their own requests', () => {
  const taken: [number, string][] = [
    [50, PASS],
    [51, 'optim_step'],
    [52, 'save_weights_for_sampler'],
    [60, PASS],
  ];
  expect(plan([row(5, 'stepped'), row(6, 'passed')], taken).actions).toEqual(['5 complete', '6 apply']);
});

test('a step that is in the weights with some of its updates gives the model up', () => {
  const taken: [number, string][] = [
    [50, PASS],
    [51, 'optim_step'],
  ];
  const given = plan([row(5, 'updating'), row(6, 'leased')], taken);
  expect(given).toMatchObject({ attach: undefined, actions: ['5 retake', '6 retake'] });
  expect(given.reason).toBe('step 5 was cut off between its updates');
});
