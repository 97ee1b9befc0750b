import { expect, test } from 'vitest';
import { createEnvironmentList } from './environment-list.ts';
import type { EnvironmentMetrics } from './environment-metrics.ts';
import { createEnvironmentRecorder } from './record-environment-metrics.ts';
import { createRounds } from './rounds.ts';
import { createTakenGroups } from './taken-groups.ts';
import type { MetricRow } from '../../sinks/metric-sink.ts';

/** A clock that moves when somebody sleeps. */
function createClock() {
  let now = 0;
  return {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
}

function openRecorder(options: { hasSeveral?: boolean } = {}) {
  const rows: MetricRow[] = [];
  const lines: string[] = [];
  const record = createEnvironmentRecorder({
    hasSeveral: () => options.hasSeveral ?? false,
    write: async (row) => void rows.push(row),
    onLine: (line) => void lines.push(line),
  });
  return { record, rows, lines };
}

const ROW: EnvironmentMetrics = {
  ...{ environment: 'digits', step: 2, at: 5 },
  metrics: { 'train/mean_reward': 0.5, 'train/groups': 4, 'time/queue_seconds': 1, 'own/nothing': null },
};

test('series of an environment stand beside those of the trainer and never in their place', async () => {
  const { record, rows } = openRecorder();
  await record(ROW);
  const values = { 'train/mean_reward': 0.5, 'env/train/groups': 4, 'time/queue_seconds': 1 };
  expect(rows).toEqual([{ step: 2, at: 5, environment: 'digits', values }]);
});

test('with several environments each has series of its own', async () => {
  const { record, rows } = openRecorder({ hasSeveral: true });
  await record(ROW);
  await record({ ...ROW, environment: 'words' });
  expect(rows.map(({ values }) => Object.keys(values)[0])).toEqual([
    'digits/train/mean_reward',
    'words/train/mean_reward',
  ]);
});

test('a row that comes again is written once', async () => {
  const { record, rows } = openRecorder();
  await record(ROW);
  await record({ ...ROW });
  await record({ ...ROW, at: 6 });
  expect(rows.map(({ at }) => at)).toEqual([5, 6]);
});

test('an evaluation is a line for who watches; other numbers are none', async () => {
  const { record, lines } = openRecorder();
  await record(ROW);
  await record({
    ...ROW,
    step: 0,
    metrics: { 'eval/percent_correct': 0.25, 'eval/mean_reward': 0.5, 'eval/rollouts': 20 },
  });
  expect(lines).toEqual(['eval at step 0  digits  percent_correct 0.250  mean_reward 0.500  20 rollouts']);
});

test('says in which step a group is, and since when', () => {
  const clock = createClock();
  const taken = createTakenGroups({ clock });
  taken.add(1, ['a', 'b']);
  void clock.sleep(2_000);
  taken.add(2, ['c']);
  expect(taken.find(['a', 'c', 'd'])).toEqual({
    a: { step: 1, taken_seconds_ago: 2 },
    c: { step: 2, taken_seconds_ago: 0 },
  });
  expect(taken.lastStep).toBe(2);
  taken.free(2);
  expect(taken.lastStep).toBe(1);
  for (let step = 3; step <= 70; step += 1) taken.add(step, [`g${step}`]);
  expect(taken.find(['a', 'c', 'g70'])).toHaveProperty('g70');
  expect(taken.find(['a', 'c'])).toEqual({});
});

test('the end of a run waits for an environment that has more to tell, and not for one that is gone', async () => {
  const clock = createClock();
  const list = createEnvironmentList({ clock });
  await list.untilDone(new AbortController().signal);
  expect(clock.now()).toBe(0);
  expect(list.hasAny).toBe(false);
  list.add('digits', { isDone: false });
  expect([list.hasAny, list.hasSeveral]).toEqual([true, false]);
  let waits = true;
  const waiting = list.untilDone(new AbortController().signal).then(() => (waits = false));
  await Promise.resolve();
  expect(waits).toBe(true);
  list.add('digits', { isDone: true });
  list.add('words', { isDone: false });
  await waiting;
  // The one that said nothing more was waited for, for as long as one that lives would have asked.
  expect(clock.now()).toBeGreaterThanOrEqual(15_000);
  expect(list.hasSeveral).toBe(true);
});

test('a round is open from the moment a batch is asked for until one is taken; another batch is another round', () => {
  const rounds = createRounds();
  rounds.reopen();
  expect(rounds.current).toBeNull();
  rounds.open(4);
  rounds.reopen();
  expect(rounds.current).toBe('4.1');
  rounds.close();
  expect(rounds.current).toBeNull();
  // What was taken could not be read.
  rounds.reopen();
  expect(rounds.current).toBe('4.2');
  rounds.close();
  rounds.open(5);
  expect(rounds.current).toBe('5.3');
});
