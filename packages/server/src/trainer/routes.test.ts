import { expect, test } from 'vitest';
import type { RouteCall } from '../http/route.ts';
import type { EnvironmentMetrics } from '../services/training/rl/environments/environment-metrics.ts';
import { createTrainerRoutes } from './routes.ts';

/** The route for what environments measured, over a store that is an array; `undefined` before the run is known. */
function openRoute(
  kept: EnvironmentMetrics[] | undefined,
  wanted = '/v1/trainer/metrics',
): (body: unknown) => Promise<unknown> {
  const routes = createTrainerRoutes({
    status: () => {
      throw new Error('nobody asks');
    },
    checkpoints: () => undefined,
    evaluate: async () => null,
    recordMetrics: () => (kept === undefined ? undefined : async (row) => void kept.push(row)),
    keepItems: () => (kept === undefined ? undefined : async ({ rates }) => ({ rates })),
    progress: () => undefined,
    stop: () => undefined,
  });
  const route = routes.find(({ path }) => path === wanted);
  const sent = { request: { body: new Uint8Array(1) }, reply: { statusCode: 200 } };
  return async (body) => route?.handle({ ...sent, readJson: async () => body } as unknown as RouteCall);
}

const ROW = { step: 2, at: 5, metrics: { 'train/percent_correct': 0, 'own/nothing': null } };

test('what an environment measured is kept before it is answered', async () => {
  const kept: EnvironmentMetrics[] = [];
  expect(await openRoute(kept)(ROW)).toEqual({ step: 2 });
  expect(kept).toEqual([ROW]);
});

test('until the run is known the environment is asked to come back', async () => {
  await expect(openRoute(undefined)(ROW)).rejects.toMatchObject({ code: 'unavailable' });
});

test.each([
  ['no step', { at: 1, metrics: {} }],
  ['a text for a number', { ...ROW, metrics: { a: 'b' } }],
  ['a field nobody knows', { ...ROW, incarnation: 1 }],
  ['too many series', { ...ROW, metrics: Object.fromEntries(Array.from({ length: 501 }, (_, each) => [each, 1])) }],
])('%s is refused with what is taken', async (_what, body) => {
  await expect(openRoute([])(body)).rejects.toMatchObject({ code: 'invalid', hint: expect.stringContaining('"step"') });
});

test('how items did is kept with the run, and nothing but that is taken', async () => {
  const body = { environment: 'digits', rates: [{ item: 'train-3', rollouts: 6, passed: 4.5 }] };
  expect(await openRoute([], '/v1/trainer/items')(body)).toEqual({ rates: body.rates });
  await expect(openRoute(undefined, '/v1/trainer/items')(body)).rejects.toMatchObject({ code: 'unavailable' });
  const odd = { ...body, rates: [{ item: 'train-3', rollouts: -1, passed: 0 }] };
  await expect(openRoute([], '/v1/trainer/items')(odd)).rejects.toMatchObject({ code: 'invalid' });
});
