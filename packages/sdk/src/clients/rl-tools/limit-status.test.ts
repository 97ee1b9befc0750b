import { expect, test } from 'vitest';
import { createStatusLimit, intervalSeconds } from './limit-status.ts';

function start() {
  let seconds = 0;
  const limit = createStatusLimit({ now: () => seconds * 1000 });
  return {
    at(moment: number, facts: { runId?: string; status?: string; state?: string; estimatedSeconds?: number } = {}) {
      seconds = moment;
      return limit.admit({ runId: 'a', status: 'running', state: 'running', estimatedSeconds: 86_400, ...facts });
    },
  };
}

test('the same state is told once in half an hour', () => {
  const run = start();
  expect([run.at(0), run.at(1), run.at(1799.5), run.at(1800), run.at(1801)]).toEqual([
    undefined,
    1799,
    1,
    undefined,
    1799,
  ]);
});

test('a change of state is told at once, and begins the interval again', () => {
  const run = start();
  run.at(0);
  expect(run.at(10, { state: 'the trainer died' })).toBeUndefined();
  expect(run.at(11, { state: 'the trainer died' })).toBe(1799);
  expect(run.at(12)).toBeUndefined();
});

test('each run has its own interval', () => {
  const run = start();
  expect([run.at(0), run.at(1, { runId: 'b' }), run.at(2), run.at(3, { runId: 'b' })]).toEqual([
    undefined,
    undefined,
    1798,
    1798,
  ]);
});

test('an ended run is always told', () => {
  const run = start();
  const ended = { status: 'failed', state: 'failed' };
  expect([run.at(0), run.at(1, ended), run.at(2, ended)]).toEqual([undefined, undefined, undefined]);
});

test('a short run is asked about twenty times, and never more often than every ten seconds; an unknown one each minute', () => {
  expect([7200, 7199, 3600, 200, 60, 0].map(intervalSeconds)).toEqual([1800, 359.95, 180, 10, 10, 10]);
  expect(intervalSeconds(undefined)).toBe(60);
});

test('ten thousand runs take no more memory than a thousand, and the newest are remembered', () => {
  const run = start();
  for (let index = 0; index < 10_000; index += 1) run.at(index / 10_000, { runId: String(index) });
  expect(run.at(1, { runId: '9999' })).toBe(1800);
  expect(run.at(1, { runId: '0' })).toBeUndefined();
});
