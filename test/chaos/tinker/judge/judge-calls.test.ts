import { expect, test } from 'vitest';

import type { Call } from '../load/call.ts';
import type { Execution } from './execution.ts';
import { judgeCalls } from './judge-calls.ts';

const call = (key: string, facts: Partial<Call> = {}): Call => ({
  key,
  modelId: 'model',
  outcome: 'done',
  error: undefined,
  message: undefined,
  result: undefined,
  elapsedMs: 10,
  timeoutMs: 1_000,
  burst: 1,
  ...facts,
});

const execution = (key: string, seqId: number, facts: Partial<Execution> = {}): Execution => ({
  key,
  modelId: 'model',
  seqId,
  result: undefined,
  ...facts,
});

const findingsOf = (calls: Call[], executions: Execution[]): readonly string[] =>
  judgeCalls({ calls, executions, graceMs: 100, hasNumbers: true }).findings;

test('what was done once, or may or may not have been done, is right', () => {
  const calls = [
    call('forward:1', { result: [-1.5] }),
    call('optim_step:2', { outcome: 'unknown', error: 'timeout' }),
    call('optim_step:3', { outcome: 'took-effect', error: 'conflict' }),
    call('optim_step:4', { outcome: 'unknown', error: 'timeout' }),
    call('optim_step:5', { outcome: 'refused', error: 'stopped' }),
  ];
  const executions = [
    execution('forward:1', 1, { result: [-1.5] }),
    execution('optim_step:2', 2),
    execution('optim_step:3', 3),
  ];
  expect(judgeCalls({ calls, executions, graceMs: 100, hasNumbers: true })).toEqual({
    done: 1,
    tookEffect: 1,
    failed: 3,
    samplesRepeated: 0,
    findings: [],
  });
});

test.each<[string, Call[], Execution[], RegExp]>([
  ['a step that happened twice', [call('optim_step:1')], [1, 2].map((n) => execution('optim_step:1', n)), /2 times/],
  ['a step that did not happen', [call('optim_step:1')], [], /is done, not carried out/],
  [
    'a refusal that was none',
    [call('optim_step:1', { outcome: 'refused', error: 'rate-limited' })],
    [execution('optim_step:1', 1)],
    /reported as rate-limited/,
  ],
  ['a hang', [call('optim_step:1', { outcome: 'hung', error: undefined })], [], /hung/],
  ['a late end', [call('optim_step:1', { elapsedMs: 1_200 })], [execution('optim_step:1', 1)], /200 ms late/],
  [
    'a foreign error',
    [call('optim_step:1', { outcome: 'untyped', error: 'TypeError: x' })],
    [],
    /TypeError: x, which is no error/,
  ],
  [
    'another order than that of the calls',
    [call('forward:1'), call('forward:2')],
    [execution('forward:2', 1), execution('forward:1', 2)],
    /forward:1 was carried out after forward:2/,
  ],
  ['a burnt number', [call('forward:1')], [execution('forward:1', 2)], /number 2, where 1 was next/],
  [
    'a result of something else',
    [call('forward:1', { result: [-1.5] })],
    [execution('forward:1', 1, { result: [-2.5] })],
    /not the server's/,
  ],
  [
    'a step without its gradient',
    [call('forward_backward:1', { outcome: 'refused' }), call('optim_step:2')],
    [execution('optim_step:2', 1)],
    /optim_step:2 was carried out without forward_backward:1/,
  ],
  ['something nobody called', [], [execution('forward:1', 1)], /never called/],
])('%s is found', (_what, calls, executions, finding) => {
  expect(findingsOf(calls, executions)).toEqual([expect.stringMatching(finding)]);
});

test('a sample that was drawn twice is counted and is no mistake', () => {
  const calls = [call('asample:1', { modelId: undefined, result: [4, 5] })];
  const executions = [3, 4].map((first, index) =>
    execution('asample:1', index, { modelId: undefined, result: [first, 5] }),
  );
  const verdict = judgeCalls({ calls, executions, graceMs: 100, hasNumbers: true });
  expect([verdict.samplesRepeated, verdict.findings]).toEqual([1, []]);
});
