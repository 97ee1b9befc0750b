import { createIdSource, MASKED, recipeSchema, type PolicyPublication, type Recipe } from '@lachesis/protocol';
import { createTrajectoryClient } from '@lachesis/sdk';
import type { Clock } from '@lachesis/protocol';
import { listRecentPolicies, openCheckpointList, openStepLedger, recordPolicy } from '@lachesis/store';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTrainer, type Trainer } from '../services/training/rl/create-trainer.ts';
import { watchJournal } from '../services/training/engine/watched-journal.ts';
import type { PolicyPublisher } from '../services/training/rl/publisher.ts';
import { createMemoryJournal, FakeEngine } from '../services/training/testing/fake-engine.fixture.ts';
import { createApiBench, type ApiBench } from '../trajectory-api/bench.fixture.ts';

const STEPS = 4;
/** All hundred and fifty places to die take two minutes; every seventh is tried unless all are asked for. */
const STRIDE = process.env['LACHESIS_TEST_EVERY_KILL'] === undefined ? 7 : 1;

/** Worlds that die at once: most of a life is the wait for the lease of the one before, and each has a run of its own. */
const ABREAST = 12;

const SHORT_LEASE_SECONDS = 3;

let bench: ApiBench;
let apiUrl: string;
let runs = 0;
beforeAll(async () => {
  bench = await createApiBench();
  await bench.api.app.listen({ host: '127.0.0.1', port: 0 });
  apiUrl = `http://127.0.0.1:${(bench.api.app.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  // Trainers that were killed here still hold their connections, as no killed process would.
  bench.api.app.server.closeAllConnections();
  await bench[Symbol.asyncDispose]();
});

/** The process is gone: nothing it does after this leaves a mark. */
class Killed extends Error {
  override readonly name = 'Killed';
}

const isNeverOver = (): boolean => false;

/** A life of a trainer that ends at its nth touch of the outside, or at the one that finds the world in some state. */
function createLife(
  lastTouch: number,
  isOver: () => boolean,
): { touch(): void; guard<T extends object>(part: T): T; touches(): number } {
  let touches = 0;
  let isDead = false;
  const touch = (): void => {
    touches += 1;
    isDead ||= touches > lastTouch || isOver();
    if (isDead) throw new Killed(`at touch ${touches}`);
  };
  const guard = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== 'function') return value;
        return async (...given: unknown[]): Promise<unknown> => {
          touch();
          const result: unknown = await Reflect.apply(value, target, given);
          touch();
          return result;
        };
      },
    });
  return { touch, guard, touches: () => touches };
}

const clock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};

/** Everything that outlives a trainer: the trajectory API, the store, the engine, its journal, inference. */
function createWorld(recipeInput: object = {}, traits: ConstructorParameters<typeof FakeEngine>[0] = {}) {
  const url = `${apiUrl}/run/r${(runs += 1)}`;
  const engine = new FakeEngine(traits);
  const journal = createMemoryJournal();
  const ids = createIdSource();
  const published: PolicyPublication[] = [];
  const recipe: Recipe = recipeSchema.parse({
    env: { batch_size: 2, group_size: 2, total_steps: STEPS },
    tinker: { save_checkpoint_interval: 2, ...recipeInput },
  });
  const client = createTrajectoryClient({ url });
  const publisher: PolicyPublisher = {
    publishPolicy: async (policy) => {
      published.push(policy);
      return { ...policy, base_model: 'base', active_since: 0 };
    },
    readPolicy: async () => ({ active: null, history: [] }),
  };

  const start = (
    lastTouch = Number.POSITIVE_INFINITY,
    isOver = isNeverOver,
  ): { trainer: Trainer; touches(): number } => {
    // Who lives keeps its batches however slow the machine is. What a killed one had just leased is waited for.
    const leaseSeconds = lastTouch === Number.POSITIVE_INFINITY && isOver === isNeverOver ? 60 : SHORT_LEASE_SECONDS;
    const life = createLife(lastTouch, isOver);
    const watched = watchJournal(journal);
    const trainer = createTrainer({
      recipe,
      client: life.guard(client),
      inference: life.guard(publisher),
      openEngine: async () => engine.connect(watched, life.touch),
      journal: watched,
      consumer: 'test',
      clock,
      wallClock: () => 0,
      log: pino({ level: 'silent' }),
      leaseSeconds,
      openRecords: async ({ run_id: runId, incarnation_id: incarnationId }) => {
        const scope = { store: bench.store, tenantId: 'local', runId, incarnationId, ids };
        return {
          ledger: life.guard(openStepLedger(scope)),
          checkpoints: life.guard(openCheckpointList(scope)),
          sink: { name: 'none', write: async () => life.touch(), close: async () => undefined },
          recordMetrics: async () => undefined,
          recordPolicy: (policy) => recordPolicy({ ...scope, policy }),
          policies: await listRecentPolicies({ ...scope, limit: 16 }),
        };
      },
    });
    return { trainer, touches: life.touches };
  };
  const push = async (): Promise<void> => {
    for (let batch = 1; batch <= STEPS; batch += 1) {
      const token = 100 + batch;
      const rowLengths = Uint32Array.of(3, 3);
      await client.pushGroup(
        {
          header: {},
          tokens: { values: Int32Array.of(7, token, 8, 7, token, 9), rowLengths },
          masks: { values: Int32Array.of(MASKED, token, 8, MASKED, token, 9), rowLengths },
          scores: Float64Array.of(0, 1),
          inferenceLogprobs: { values: Float32Array.of(1, -1, -1, 1, -1, -1), rowLengths },
        },
        { idempotencyKey: String(batch) },
      );
    }
  };
  /** The weights the last publication stands for. */
  const servedWeights = (): number[] | undefined => engine.saved.get(published.at(-1)?.model_path ?? '');
  const stepStates = async (): Promise<string[]> => {
    const { incarnation_id: incarnation } = await client.ledger();
    const rows = await bench.store.db
      .selectFrom('steps')
      .select('state')
      .where('incarnation_id', '=', incarnation)
      .orderBy('step')
      .execute();
    return rows.map(({ state }) => String(state));
  };
  return { client, engine, journal, published, start, push, servedWeights, stepStates };
}

const ALL = [101, 102, 103, 104];

/** Lets a trainer die at that touch and another one go on; whether the first came to its end before. */
async function liveAndRecover(killedAt: number): Promise<boolean> {
  const world = createWorld();
  const ending = world
    .start(killedAt)
    .trainer.run()
    .then(
      () => true,
      () => false,
    );
  const pushing = world.push();
  const isComplete = await ending;
  if (!isComplete) await world.start().trainer.run();
  await pushing;
  const where = `killed at touch ${killedAt}`;
  expect([where, world.servedWeights()?.toSorted()]).toEqual([where, ALL]);
  expect([where, await world.stepStates()]).toEqual([where, ['done', 'done', 'done', 'done']]);
  expect([where, await world.client.ledger()]).toMatchObject([where, { trained: 4, balanced: true }]);
  return isComplete;
}

describe('a trainer', () => {
  it('turns batches into steps, in order, and settles everything', async () => {
    const world = createWorld();
    const { trainer } = world.start();
    const running = trainer.run();
    await world.push();
    await running;
    expect(world.servedWeights()).toEqual(ALL);
    expect(world.published.map(({ policy_version: version }) => version)).toEqual([0, 1, 2, 3, 4]);
    expect(await world.stepStates()).toEqual(['done', 'done', 'done', 'done']);
    expect(await world.client.ledger()).toMatchObject({ produced: 4, trained: 4, balanced: true });
    expect(trainer.status()).toMatchObject({ state: 'finished', step: 4, policy_version: 4, origin: 'new' });
  });

  it('in sync mode publishes before it takes the next batch', async () => {
    const world = createWorld({ mode: 'sync' });
    const { trainer } = world.start();
    const running = trainer.run();
    // Sync bounds what may wait ahead to one batch, so pushes wait for steps.
    await world.push();
    await running;
    expect(world.servedWeights()).toEqual(ALL);
  });

  it('killed at every single touch of the outside, it trains on every batch once', { timeout: 240_000 }, async () => {
    let lives = 0;
    for (let isComplete = false; !isComplete; lives += ABREAST) {
      const places = Array.from({ length: ABREAST }, (_, at) => 5 + (lives + at) * STRIDE);
      isComplete = (await Promise.all(places.map(liveAndRecover))).includes(true);
    }
    expect(lives * STRIDE).toBeGreaterThan(100);
  });

  it('killed when the engine has gradients that are in no journal, it does not add them again', async () => {
    // As on SkyRL: the save that begins the recovery gets through under a number that the gradients have used.
    const world = createWorld({}, { repeatsSafely: false });
    const passes = (): number => world.journal.read().split('forward_backward').length - 1;
    const holdsUnwritten = (): boolean =>
      [...world.engine.models.values()].some(
        ({ weights, gradients }) => weights.length > 0 && weights.length + gradients.length > passes(),
      );
    const running = world.start(undefined, holdsUnwritten).trainer.run();
    const pushing = world.push();
    await expect(running).rejects.toThrow('at touch');
    const second = world.start();
    await second.trainer.run();
    await pushing;
    expect(second.trainer.status()).toMatchObject({ state: 'finished', origin: 'restored', lost_steps: 0 });
    expect(world.servedWeights()?.toSorted()).toEqual(ALL);
  });

  it('goes back to the last saved state when the engine has lost the model', async () => {
    const world = createWorld({ save_checkpoint_interval: 2 }, { savesStateWithWeights: false });
    const first = world.start();
    const running = first.trainer.run();
    await world.push();
    await running;
    world.engine.loseModels();
    // Two more steps are asked for by another recipe of the same run.
    const weights = [...world.engine.saved.keys()].filter((path) => path.includes('/weights/'));
    expect(weights.some((path) => path.endsWith('checkpoint-4'))).toBe(true);
    const second = world.start();
    await second.trainer.run();
    expect(second.trainer.status()).toMatchObject({ state: 'finished', origin: 'restored', lost_steps: 0 });
    expect(world.servedWeights()).toEqual(ALL);
  });

  it('stops after the step under way, with a checkpoint, and goes on from there', async () => {
    const world = createWorld({ save_checkpoint_interval: 0 });
    const first = world.start();
    const running = first.trainer.run();
    await world.push();
    while (first.trainer.status().step < 1) await clock.sleep(5);
    await first.trainer.stop();
    await running;
    const { state, step } = first.trainer.status();
    if (step < STEPS) expect(state).toBe('stopped');
    world.engine.loseModels();
    const second = world.start();
    await second.trainer.run();
    expect(world.servedWeights()?.toSorted()).toEqual(ALL);
  });

  it('acknowledges its last batch anew when the lease ended before', async () => {
    const world = createWorld();
    const { ack, nack } = world.client;
    let hasEnded = false;
    world.client.ack = async (batch, facts, options) => {
      if (facts?.step === STEPS && !hasEnded) {
        hasEnded = true;
        await nack(batch, { reason: 'as when its lease ends' });
      }
      return ack(batch, facts, options);
    };
    const running = world.start().trainer.run();
    await world.push();
    await running;
    expect(hasEnded).toBe(true);
    expect(await world.client.ledger()).toMatchObject({ trained: 4, balanced: true });
    expect(world.servedWeights()).toEqual(ALL);
  });

  it('refuses a run that was registered with another batch size', async () => {
    const world = createWorld();
    await world.client.register({ batch_size: 8 });
    await expect(world.start().trainer.run()).rejects.toThrow('batch size of 8');
  });
});

describe('a trainer that is held near its start', () => {
  it('trains as before while it is near, and leaves no second model behind, killed or not', async () => {
    const world = createWorld({ kl_coefficient: 0.1 });
    const first = world.start(60);
    const ending = first.trainer.run().catch(() => undefined);
    const pushing = world.push();
    await ending;
    const second = world.start();
    await second.trainer.run();
    await pushing;
    expect(world.servedWeights()?.toSorted()).toEqual(ALL);
    expect(world.engine.models.size).toBe(1);
    expect(second.trainer.status()).toMatchObject({ state: 'finished', ended_by: 'steps' });
  });

  it('ends when replies are further away than the budget, and serves the last weights within it', async () => {
    const world = createWorld({ mode: 'sync', kl_budget: 3 });
    // The third batch is eight nats away from the start: it was sampled with −1 a token, and the start finds −5.
    Object.defineProperty(world.engine, 'referenceLogprob', { get: () => (world.published.length > 2 ? -5 : -1) });
    const { trainer } = world.start();
    const running = trainer.run();
    // What comes after the end is never taken.
    void world.push().catch(() => undefined);
    await running;
    expect(trainer.status()).toMatchObject({ state: 'finished', ended_by: 'kl-budget', step: 2 });
    expect(trainer.status().detail).toMatch(/after step 2 of 4: replies are 8\.000 nats .* budget is 3\. .* of step 1/);
    expect(await world.stepStates()).toEqual(['done', 'done', 'returned']);
    expect(world.published.map(({ policy_version: version }) => version)).toEqual([0, 1, 2, 3]);
    expect(world.servedWeights()).toEqual([101]);

    // Started again it finds the same end, and not the weights that went too far.
    const again = world.start();
    await again.trainer.run();
    expect(again.trainer.status()).toMatchObject({ state: 'finished', ended_by: 'kl-budget', step: 2 });
    expect(world.servedWeights()).toEqual([101]);
  });
});
