import { expect, test } from 'vitest';
import { createPaint } from '../terminal/paint.ts';
import { computeStats, renderStats } from './trajectory-stats.ts';
import { makeDetail, makeTurn } from './trajectories.fixture.ts';

const say = (content: string) => ({ role: 'assistant', content });
const usage = (prompt: number, completion: number) => ({
  usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
});
const DAY = 86_400_000;

const details = [
  makeDetail(
    [
      makeTurn(0, [], say('a'), { ...usage(10, 2), cost: 0.5, started_at: 0, first_token_at: 40, ended_at: 140 }),
      makeTurn(1, [], say('b'), { ...usage(20, 4), cost: 0.25, started_at: 180_000, ended_at: 180_300 }),
    ],
    { trajectory_id: 't1', user: 'ann', run_id: 'k3v9x0ab' },
  ),
  makeDetail(
    [
      // A stream without usage.
      makeTurn(0, [], say('c'), { model: 'other', is_stream: true, started_at: DAY, ended_at: DAY + 2_400 }),
      makeTurn(1, [], undefined, {
        ...{ model: 'other', error: { message: 'no', status: 500 }, started_at: DAY, ended_at: DAY + 9_000 },
      }),
    ],
    { trajectory_id: 't2' },
  ),
];

test('adds calls up by model; a count that nobody gave is unknown and never 0', () => {
  const [toy, other] = computeStats(details, 'model');
  expect(toy).toEqual({
    group: 'toy',
    ...{ trajectories: 1, calls: 2, failed: 0, prompt_tokens: 30, completion_tokens: 6, calls_without_tokens: 0 },
    ...{ cost: 0.75, calls_without_cost: 0, latency_ms_median: 140, latency_ms_p95: 300, first_token_ms_median: 40 },
    // Not the three minutes between the two.
    active_ms: 440,
  });
  expect(other).toMatchObject({ failed: 1, completion_tokens: null, cost: null, calls_without_tokens: 2 });
});

test('by user, by run and by day', () => {
  expect(computeStats(details, 'user').map(({ group }) => group)).toEqual(['ann', 'without a user']);
  expect(computeStats(details, 'run').map(({ group }) => group)).toEqual(['k3v9x0ab', 'without a run']);
  expect(computeStats(details, 'day').map(({ group }) => group)).toEqual(['1970-01-02', '1970-01-01']);
});

test('the table fits 80 columns, with milliseconds and unknowns', () => {
  const text = renderStats(computeStats(details, 'model'), { by: 'model', paint: createPaint(false), columns: 80 });
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(text).toMatch(/^toy +2 +0 +30 +6 +\$0\.750 +140 ms +300 ms +440 ms$/m);
  expect(text).toMatch(/^other +2 +1 +unknown +unknown +unknown +2\.4 s +2\.4 s +11 s$/m);
});
