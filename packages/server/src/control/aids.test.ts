import { runEstimateSchema, runStartSchema, whyReplySchema, type WhyReply } from '@lachesis/protocol';
import { findTrainingRun } from '@lachesis/store';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { RunFacts } from '../services/runs/why/run-facts.ts';
import { createControlBench, type ControlBench } from './bench.fixture.ts';
import { startRunWatch } from '../services/runs/watch-runs.ts';

/** Runs are written down and started by nobody. */
const openBench = (): Promise<ControlBench> =>
  createControlBench({}, undefined, {
    runs: {
      findEngineUrl: async () => 'http://127.0.0.1:1',
      plan: (real) => real,
      configurator: (real) => ({
        ...real,
        resolve: async () => ({
          ...{ environment: 'toy', config: {}, environmentFile: {}, totalSteps: 10 },
          ...{ wandbProject: null, wandbRunName: null },
          recipe: {
            env: { batch_size: 4, max_token_length: 100 },
            openai: [{}],
            tinker: { base_model: 'tiny', max_token_trainer_length: 100 },
          },
        }),
      }),
    },
  });

const start = async (bench: ControlBench, body: object): Promise<string> =>
  runStartSchema.parse((await bench.call('POST', '/runs', { body })).json).run_id;

test('the next run is estimated, and its cost once the table of the user has a price', async () => {
  await using bench = await openBench();
  const estimate = async () => runEstimateSchema.parse((await bench.call('GET', '/config/estimate')).json);
  expect(await estimate()).toMatchObject({ steps: 10, rollouts: 40, tokens: 8_000, cost: null, seconds: null });
  const refused = await bench.call('POST', '/runs', { body: { budget: 1 } });
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('prices.yaml')]);
  await writeFile(join(bench.home, 'prices.yaml'), 'tiny: { input: 500, output: 1000, train: 250 }\n');
  expect(await estimate()).toMatchObject({ cost: 5 });
  const started = await bench.call('POST', '/runs', { body: { budget: 3 } });
  expect(runStartSchema.parse(started.json).estimate).toMatchObject({ cost: 5, budget: 3 });
});

test('a run whose engine is away says so; one that does not exist is 404', async () => {
  await using bench = await openBench();
  const run = await start(bench, {});
  const { status, json } = await bench.call('GET', `/runs/${run}/why`);
  const reply: WhyReply = whyReplySchema.parse(json);
  expect([status, reply.cause, reply.run_id]).toEqual([200, 'engine-down', run]);
  expect((await bench.call('GET', '/runs/nobody00/why')).status).toBe(404);
});

test('without anybody to ask, a test of inference is refused with the choices', async () => {
  await using bench = await openBench();
  const { status, text } = await bench.call('POST', '/test/inference', { body: { prompts: ['a'] } });
  expect([status, text]).toEqual([409, expect.stringContaining('OPENROUTER_API_KEY')]);
  expect((await bench.call('GET', '/test/inference/none')).status).toBe(404);
});

interface Watched {
  body: object;
  /** What each look at the run finds; the last for ever. */
  readings: { sampled: number; step: number }[];
}

/** Starts a run with limits and looks at it until it is asked to stop. */
async function watchUntilStopped({ body, readings }: Watched): Promise<{ reasons: string[] }> {
  await using bench = await openBench();
  await writeFile(join(bench.home, 'prices.yaml'), 'tiny: { input: 0, output: 1000000 }\n');
  const shortId = await start(bench, body);
  const reasons: string[] = [];
  let looks = 0;
  const watch = startRunWatch({
    ...{ store: bench.store, log: pino({ level: 'silent' }), everyMs: 5 },
    findPrice: async () => ({ input: 0, output: 1e6 }),
    why: {
      forgetOthers: () => {},
      explain: () => Promise.reject(new Error('nobody asks')),
      observe: async () => {
        const { sampled, step } = readings[Math.min(looks, readings.length - 1)] ?? { sampled: 0, step: 0 };
        looks += 1;
        return {
          ...{ batchSize: 4, trainer: { value: { step } } },
          inference: { value: { tokens: { prompt: 0, sampled } } },
        } as unknown as RunFacts;
      },
    },
    stopRun: async (run, reason) => {
      reasons.push(reason);
      await bench.control.runs.deps.runs.stop(run.tenantId, run.shortId, reason);
    },
  });
  await expect.poll(() => reasons).toHaveLength(1);
  await watch.stop();
  const run = await findTrainingRun({ store: bench.store, tenantId: 'local', shortId });
  expect(run?.stopRequestedAt).not.toBeNull();
  return { reasons };
}

// The counter begins anew with the third reading.
const SAMPLED = [10, 20, 4, 5, 6].map((sampled) => ({ sampled, step: 0 }));

test('a run ends when its budget is spent, counted over the lives of its processes', async () => {
  const { reasons } = await watchUntilStopped({ body: { budget: 25 }, readings: SAMPLED });
  expect(reasons).toEqual(['its budget of 25 US dollars is spent: 25.00 by the price table']);
});

test('a run ends at its limit of tokens, and needs no price for it', async () => {
  const { reasons } = await watchUntilStopped({ body: { max_tokens: 24 }, readings: SAMPLED });
  expect(reasons).toEqual(['its limit of 24 tokens is reached: it has used 24']);
});
