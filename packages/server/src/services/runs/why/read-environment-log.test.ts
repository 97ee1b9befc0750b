import { expect, test } from 'vitest';
import { findLimitedAt, readEnvironmentLog } from './read-environment-log.ts';
import { readPrometheus } from './read-prometheus.ts';

test('what an environment waits for is read from its last lines, until it goes on', () => {
  const waiting =
    'toy  step 2/10  5 rollouts (0.3/s)  reward 0.500  failed 20.0 %  waiting: 24 groups wait for the trainer';
  expect(readEnvironmentLog([waiting])).toEqual({ waiting: '24 groups wait for the trainer', paused: null });
  expect(readEnvironmentLog([waiting, 'toy  6 rollouts (0.3/s)  reward 0.5  failed 0.0 %']).waiting).toBeNull();
});

test('a pause lasts until a rollout succeeds', () => {
  const paused = 'paused: 10 rollouts in a row failed; the last: verifier, it hung';
  expect(readEnvironmentLog([paused]).paused).toBe('10 rollouts in a row failed; the last: verifier, it hung');
  expect(readEnvironmentLog([paused, 'a rollout succeeded; going on']).paused).toBeNull();
});

test('the last time the engine asked for time is found among other lines', () => {
  const line = (time: number): string => JSON.stringify({ time, event: { type: 'sampling-limited' } });
  expect(findLimitedAt([line(5), line(9), '{"time":12,"msg":"trained"}', 'sampling-limited {'])).toBe(9);
  expect(findLimitedAt([])).toBeNull();
});

test('counters are read with their labels', () => {
  expect(readPrometheus('# HELP x y\nx_total{route="/v1/a",code="429"} 3\ny 0.5 17\nbroken\n')).toEqual([
    { name: 'x_total', labels: { route: '/v1/a', code: '429' }, value: 3 },
    { name: 'y', labels: {}, value: 0.5 },
  ]);
});
