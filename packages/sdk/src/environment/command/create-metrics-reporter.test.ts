import type { Clock } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { createMetricsReporter } from './create-metrics-reporter.ts';

/** A trainer that answers by a list of statuses, the last one for ever. */
function createTrainer(statuses: number[]) {
  const bodies: unknown[] = [];
  const notes: string[] = [];
  const clock: Clock = { now: () => 0, sleep: async () => undefined };
  const reporter = createMetricsReporter({
    url: 'http://trainer.test',
    token: 'of-the-run',
    environment: 'toy',
    clock,
    say: (note) => notes.push(note),
    wallClock: () => 1_000 + bodies.length,
    fetch: async (_url, init) => {
      bodies.push(JSON.parse(typeof init?.body === 'string' ? init.body : 'null'));
      const status = statuses.length > 1 ? statuses.shift() : statuses[0];
      return new Response('{}', { status: status ?? 200 });
    },
  });
  return { reporter, bodies, notes };
}

test('rows arrive in their order, without what is no number', async () => {
  const { reporter, bodies, notes } = createTrainer([200]);
  reporter.add({ step: 1, metrics: { 'train/percent_correct': 0, nothing: Number.NaN } });
  reporter.add({ step: 2, metrics: { 'train/percent_correct': 0.5 } });
  await reporter.close();
  expect(bodies).toEqual([
    { environment: 'toy', step: 1, at: 1_000, metrics: { 'train/percent_correct': 0 } },
    { environment: 'toy', step: 2, at: 1_000, metrics: { 'train/percent_correct': 0.5 } },
  ]);
  expect(notes).toEqual([]);
});

test('a row that is sent again is the same row, so that it is kept once', async () => {
  const { reporter, bodies } = createTrainer([503, 200]);
  reporter.add({ step: 1, metrics: { a: 1 } });
  await reporter.close();
  expect(bodies).toHaveLength(2);
  expect(bodies[1]).toEqual(bodies[0]);
});

test.each([401, 404])('a server that answers %i has no trainer of ours, and is told nothing more', async (status) => {
  const { reporter, bodies, notes } = createTrainer([status]);
  reporter.add({ step: 1, metrics: { a: 1 } });
  reporter.add({ step: 2, metrics: { a: 1 } });
  await reporter.close();
  expect([bodies.length, notes]).toEqual([1, []]);
});

test('rows that are refused are said once, and the next are sent all the same', async () => {
  const { reporter, bodies, notes } = createTrainer([422]);
  reporter.add({ step: 1, metrics: { a: 1 } });
  reporter.add({ step: 2, metrics: { a: 1 } });
  await reporter.close();
  expect(bodies).toHaveLength(2);
  expect(notes).toEqual([expect.stringContaining('was not told of metrics at step 1')]);
});
