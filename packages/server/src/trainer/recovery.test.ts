import { createIdSource, MASKED, recipeSchema, type PolicyPublication, type Recipe } from '@lachesis/protocol';
import { createTrajectoryClient } from '@lachesis/sdk';
import type { Clock } from '@lachesis/protocol';
import {
  listModels,
  listRecentPolicies,
  openCheckpointList,
  openStepLedger,
  promoteModel,
  recordPolicy,
} from '@lachesis/store';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTrainer, type Trainer } from '../services/training/rl/create-trainer.ts';
import { createCheckpointModels } from '../services/models/checkpoint-models.ts';
import type { TrainingSequence } from '../services/training/rl/datums/convert-group.ts';
import { watchJournal } from '../services/training/engine/watched-journal.ts';
import type { PolicyPublisher } from '../services/training/rl/publisher.ts';
import { createMemoryJournal, FakeEngine } from '../services/training/testing/fake-engine.fixture.ts';
import { createApiBench, type ApiBench } from '../trajectory-api/bench.fixture.ts';

const STEPS = 4;

/** Worlds that die at once: most of a life is the wait for the lease of the one before, and each has a run of its own. */
const ABREAST = 32;

/** A step of four updates has some three hundred places to die; most are those of a step of one. */
const UPDATE_STRIDE = 7;

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
): { touch(): void; guard<T extends object>(part: T): T; touches(): number; isDead(): boolean } {
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
  return { touch, guard, touches: () => touches, isDead: () => isDead };
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
function createWorld(
  recipeInput: object = {},
  traits: ConstructorParameters<typeof FakeEngine>[0] = {},
  envInput: object = {},
) {
  const run = `r${(runs += 1)}`;
  const url = `${apiUrl}/run/${run}`;
  const engine = new FakeEngine(traits);
  const journal = createMemoryJournal();
  const ids = createIdSource();
  const published: PolicyPublication[] = [];
  /** Sequences that the teacher was asked about, call by call. */
  const asked: number[] = [];
  const recipe: Recipe = recipeSchema.parse({
    env: { batch_size: 2, group_size: 2, total_steps: STEPS, ...envInput },
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
  ): { trainer: Trainer; touches(): number; isDead(): boolean } => {
    // Who lives keeps its batches however slow the machine is. What a killed one had just leased is waited for.
    const leaseSeconds = lastTouch === Number.POSITIVE_INFINITY && isOver === isNeverOver ? 60 : SHORT_LEASE_SECONDS;
    const life = createLife(lastTouch, isOver);
    const watched = watchJournal(journal);
    const trainer = createTrainer({
      recipe,
      client: life.guard(client),
      inference: life.guard(publisher),
      openEngine: async () => engine.connect(watched, life.touch),
      openTeacher: async () =>
        recipe.tinker.teacher
          ? life.guard({
              logprobs: async (sequences: readonly Pick<TrainingSequence, 'datum'>[]) => {
                asked.push(sequences.length);
                return sequences.map(({ datum }) => new Float32Array(datum.tokens.length).fill(-0.5));
              },
              close: async () => undefined,
            })
          : undefined,
      journal: watched,
      consumer: 'test',
      clock,
      wallClock: () => 0,
      log: pino({ level: 'silent' }),
      leaseSeconds,
      openRecords: async ({ run_id: runId, incarnation_id: incarnationId }) => {
        const scope = { store: bench.store, tenantId: 'local', runId, incarnationId, ids };
        const registry = createCheckpointModels({ store: bench.store, tenantId: 'local', run, recipe });
        return {
          ledger: life.guard(openStepLedger(scope)),
          checkpoints: life.guard(openCheckpointList(scope)),
          models: life.guard({
            ...registry,
            register: async (list: Parameters<typeof registry.register>[0], baseModel: string) => {
              await registry.register(list, baseModel);
              await world.onRegistered(list.length);
            },
          }),
          sink: { name: 'none', write: async () => life.touch(), close: async () => undefined },
          recordMetrics: async () => undefined,
          keepItems: async () => ({ rates: [] }),
          series: [],
          readSeries: async () => [],
          recordPolicy: (policy) => recordPolicy({ ...scope, policy }),
          policies: await listRecentPolicies({ ...scope, limit: 16 }),
        };
      },
    });
    return { trainer, touches: life.touches, isDead: life.isDead };
  };
  const pushOne = async (batch: number, scores = Float64Array.of(0, 1), policyVersion?: number): Promise<void> => {
    const token = 100 + batch;
    const rowLengths = Uint32Array.of(3, 3);
    await client.pushGroup(
      {
        header: {},
        tokens: { values: Int32Array.of(7, token, 8, 7, token, 9), rowLengths },
        masks: { values: Int32Array.of(MASKED, token, 8, MASKED, token, 9), rowLengths },
        scores,
        inferenceLogprobs: { values: Float32Array.of(1, -1, -1, 1, -1, -1), rowLengths },
        ...(policyVersion === undefined
          ? {}
          : { policyRanges: Uint32Array.of(0, 1, 3, policyVersion, 1, 1, 3, policyVersion) }),
      },
      { idempotencyKey: String(batch) },
    );
  };
  const push = async (): Promise<void> => {
    for (let batch = 1; batch <= STEPS; batch += 1) await pushOne(batch);
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
  /** The registry's versions of this run, the oldest first, with the weights they stand for. */
  const models = async () =>
    (await listModels({ store: bench.store, tenantId: 'local', name: run })).toReversed().map((model) => ({
      ...{ version: model.version, step: model.step, method: model.method, isFinal: model.config['is_final'] },
      ...{ isDeleted: model.weightsDeletedAt !== null, weights: engine.saved.get(model.weightsPath) },
      evaluations: model.evaluations.map(({ name, content }) => ({ name, content })),
    }));
  const world = {
    ...{ run, client, engine, journal, published, asked, start, push, pushOne, servedWeights, stepStates, models },
    onRegistered: async (_count: number): Promise<void> => undefined,
  };
  return world;
}

const ALL = [101, 102, 103, 104];

/** Lets a trainer die at that touch and another one go on; whether the first came to its end before. */
async function liveAndRecover(killedAt: number, recipe: object = {}, wanted = ALL): Promise<boolean> {
  const world = createWorld(recipe);
  const first = world.start(killedAt);
  // What it does last it only tries: a kill there is no error that anybody hears of.
  const ending = first.trainer.run().then(
    () => !first.isDead(),
    () => false,
  );
  const pushing = world.push();
  const isComplete = await ending;
  if (!isComplete) await world.start().trainer.run();
  await pushing;
  const where = `killed at touch ${killedAt}`;
  expect([where, world.servedWeights()?.toSorted()]).toEqual([where, wanted]);
  expect([where, await world.stepStates()]).toEqual([where, ['done', 'done', 'done', 'done']]);
  expect([where, await world.client.ledger()]).toMatchObject([where, { trained: 4, balanced: true }]);
  const models = await world.models();
  expect([where, models.at(-1)]).toMatchObject([where, { step: 4, isFinal: true, method: 'grpo' }]);
  expect([where, models.at(-1)?.weights?.toSorted()]).toEqual([where, wanted]);
  expect([where, new Set(models.map(({ step }) => step)).size]).toEqual([where, models.length]);
  return isComplete;
}

describe('a trainer', () => {
  it('ends at its limit of steps and makes no further one, whatever waits for it', async () => {
    const world = createWorld({ max_steps: 2, lr_schedule: 'linear' });
    const { trainer } = world.start();
    const running = trainer.run();
    await world.push();
    await running;
    expect(world.servedWeights()).toEqual(ALL.slice(0, 2));
    expect(await world.stepStates()).toEqual(['done', 'done']);
    expect(trainer.status()).toMatchObject({ state: 'finished', ended_by: 'steps', step: 2, total_steps: 2 });
    expect((await world.client.ledger()).trained).toBe(2);
  });

  it('ends as finished when its evaluation no longer rises, with a checkpoint of what it has', async () => {
    const world = createWorld({ early_stop: { patience: 1 }, best_checkpoint: 'eval/pass@4' });
    const { trainer } = world.start();
    const running = trainer.run();
    await vi.waitFor(() => expect(trainer.status().state).toBe('training'), { timeout: 20_000 });
    const evaluate = async (step: number, reward: number, pass: number): Promise<void> =>
      await trainer.recordMetrics()?.({ step, at: step, metrics: { 'eval/mean_reward': reward, 'eval/pass@4': pass } });
    await evaluate(0, 0.5, 0.9);
    expect(trainer.status().state).not.toBe('finished');
    await evaluate(1, 0.5, 0.8);
    await running;
    expect(trainer.status()).toMatchObject({ state: 'finished', ended_by: 'early-stop' });
    expect(trainer.status().detail).toContain('has not risen in 1 evaluations since step 0 (0.500)');
    expect(await trainer.evaluate(4, 0.1)).toBeNull();
  });

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

  it.each(['async', 'sync'])('in %s mode does not count batches that hold nothing to learn from', async (mode) => {
    const world = createWorld({ mode });
    const { trainer } = world.start();
    const running = trainer.run();
    // An environment that goes by the steps of the trainer.
    await vi.waitFor(() =>
      expect(trainer.progress({ environment: 'e', group_ids: [], is_done: true })?.taken_step).toBe(0),
    );
    const equal = Float64Array.of(1, 1);
    for (const batch of [1, 2]) await world.pushOne(batch);
    for (const batch of [11, 12]) await world.pushOne(batch, equal);
    for (const batch of [3, 4]) await world.pushOne(batch);
    await running;
    expect(world.servedWeights()).toEqual(ALL);
    expect(await world.stepStates()).toEqual(['empty', 'empty', 'done', 'done', 'done', 'done']);
    expect(trainer.status()).toMatchObject({ state: 'finished', step: 4, policy_version: 4 });
    expect(await world.client.ledger()).toMatchObject({ produced: 6, trained: 6, balanced: true });
  });

  it('counts them beyond a bound, and where environments count batches', async () => {
    const bounded = createWorld({ max_empty_batches: 1, max_steps: 2 });
    const { trainer } = bounded.start();
    const running = trainer.run();
    await vi.waitFor(() => expect(trainer.progress({ environment: 'e', group_ids: [], is_done: true })).toBeDefined());
    for (const batch of [1, 2, 3]) await bounded.pushOne(batch, Float64Array.of(1, 1));
    await running;
    expect(await bounded.stepStates()).toEqual(['empty', 'empty', 'empty']);
    expect(trainer.status()).toMatchObject({ state: 'finished', step: 2, policy_version: 0 });

    const alone = createWorld({ max_steps: 2 });
    const ending = alone.start().trainer.run();
    await alone.pushOne(1, Float64Array.of(1, 1));
    await alone.pushOne(2);
    await ending;
    expect(await alone.stepStates()).toEqual(['empty', 'done']);

    // As right after a restart: its environments are of those that follow steps, and have not spoken yet.
    const strict = createWorld({ max_steps: 1 }, {}, { max_batches_offpolicy: 0 });
    const strictly = strict.start().trainer.run();
    await strict.pushOne(1, Float64Array.of(1, 1), 0);
    await strict.pushOne(2, Float64Array.of(0, 1), 0);
    await strictly;
    expect(await strict.stepStates()).toEqual(['empty', 'done']);
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
      const places = Array.from({ length: ABREAST }, (_, at) => 5 + lives + at);
      isComplete = (await Promise.all(places.map((place) => liveAndRecover(place)))).includes(true);
    }
    expect(lives).toBeGreaterThan(100);
  });

  it(
    'makes each update of each batch once, also when it is killed between two of them',
    { timeout: 240_000 },
    async () => {
      const recipe = { minibatches: 2, epochs_per_batch: 2 };
      const wanted = ALL.flatMap((token) => [token, token, token, token]);
      let lives = 0;
      for (let isComplete = false; !isComplete; lives += ABREAST) {
        const places = Array.from({ length: ABREAST }, (_, at) => 7 + (lives + at) * UPDATE_STRIDE);
        isComplete = (await Promise.all(places.map((place) => liveAndRecover(place, recipe, wanted)))).includes(true);
      }
      expect(lives * UPDATE_STRIDE).toBeGreaterThan(150);
    },
  );

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

  it('killed behind an acknowledgement that was refused, it is settled by the next one', async () => {
    const world = createWorld();
    const { ack, nack } = world.client;
    let touchesBehind = -1;
    world.client.ack = async (batch, facts, options) => {
      if (facts?.step === STEPS && touchesBehind < 0) {
        touchesBehind = 0;
        await nack(batch, { reason: 'as when its lease ends' });
      }
      return ack(batch, facts, options);
    };
    // The first touch behind it would be the one that writes down that the step is done.
    const isOver = (): boolean => touchesBehind >= 0 && (touchesBehind += 1) > 1;
    const running = world.start(undefined, isOver).trainer.run();
    const pushing = world.push();
    await expect(running).rejects.toThrow('at touch');
    await world.start().trainer.run();
    await pushing;
    expect(await world.client.ledger()).toMatchObject({ trained: 4, balanced: true });
    expect(await world.stepStates()).toEqual(['done', 'done', 'done', 'done']);
    expect(world.servedWeights()?.toSorted()).toEqual(ALL);
  });

  it('registers each checkpoint as a model, and what it deletes as deleted unless a name serves it', async () => {
    const world = createWorld({ mode: 'sync', save_checkpoint_interval: 1, keep_checkpoints: 1 });
    const { trainer } = world.start();
    const running = trainer.run();
    const scope = { store: bench.store, tenantId: 'local' };
    const publish = vi.fn(async () => {
      // Step 1 is served by its name before step 2 would make it one too many.
      await promoteModel({ ...scope, name: world.run, version: 1, reason: 'good', by: 'ada' });
    });
    world.onRegistered = async (count) => {
      if (count === 1 && publish.mock.calls.length === 0) await publish();
    };
    await world.push();
    await running;
    expect(publish).toHaveBeenCalledOnce();
    const models = await world.models();
    expect(models.map(({ step, isDeleted }) => [step, isDeleted])).toEqual([
      [1, false],
      [2, true],
      [3, false],
      [4, false],
    ]);
    expect(models[0]?.weights).toEqual([101]);
    await expect(promoteModel({ ...scope, name: world.run, version: 2, reason: 'older', by: 'ada' })).rejects.toThrow(
      `The model ${world.run}@2 has no weights any more`,
    );
  });

  it('keeps an evaluation with the model of its checkpoint, once, also when it comes again after a restart', async () => {
    const world = createWorld();
    const first = world.start();
    const running = first.trainer.run();
    await world.push();
    await running;
    expect(await first.trainer.evaluate(3, 0.5)).toBe(2);
    expect(await first.trainer.evaluate(4, 0.75)).toBe(4);
    const second = world.start();
    await second.trainer.run();
    expect(await second.trainer.evaluate(4, 0.75)).toBe(4);
    expect((await world.models()).map(({ step, evaluations }) => [step, evaluations])).toEqual([
      [2, [{ name: 'run/evaluation', content: { score: 0.5 } }]],
      [4, [{ name: 'run/evaluation', content: { score: 0.75 } }]],
    ]);
  });

  it('refuses a run that was registered with another batch size', async () => {
    const world = createWorld();
    await world.client.register({ batch_size: 8 });
    await expect(world.start().trainer.run()).rejects.toThrow('batch size of 8');
  });
});

describe('a trainer with a teacher', () => {
  const EQUAL = Float64Array.of(0, 0);
  const DISTILL_STRIDE = 11;

  it('learns from groups of equal scores, and asks about each batch once', async () => {
    const world = createWorld({ teacher: { model: 'tinker://t/weights/s' } });
    const running = world.start().trainer.run();
    for (let batch = 1; batch <= STEPS; batch += 1) await world.pushOne(batch, EQUAL);
    await running;
    expect(world.servedWeights()).toEqual(ALL);
    expect(await world.stepStates()).toEqual(['done', 'done', 'done', 'done']);
    expect(world.asked).toEqual([2, 2, 2, 2]);
  });

  it(
    'killed while the teacher answers, or anywhere else, it trains on every batch once',
    { timeout: 240_000 },
    async () => {
      const live = async (killedAt: number): Promise<boolean> => {
        const world = createWorld({ teacher: { model: 'tinker://t/weights/s' }, minibatches: 2 });
        const ending = world
          .start(killedAt)
          .trainer.run()
          .then(
            () => true,
            () => false,
          );
        const pushing = (async () => {
          for (let batch = 1; batch <= STEPS; batch += 1) await world.pushOne(batch, EQUAL);
        })();
        const isComplete = await ending;
        if (!isComplete) await world.start().trainer.run();
        await pushing;
        const wanted = ALL.flatMap((token) => [token, token]);
        expect([killedAt, world.servedWeights()?.toSorted()]).toEqual([killedAt, wanted]);
        expect(await world.client.ledger()).toMatchObject({ trained: 4, balanced: true });
        return isComplete;
      };
      let lives = 0;
      for (let isComplete = false; !isComplete; lives += ABREAST) {
        const places = Array.from({ length: ABREAST }, (_, at) => 9 + (lives + at) * DISTILL_STRIDE);
        isComplete = (await Promise.all(places.map(live))).includes(true);
      }
      expect(lives * DISTILL_STRIDE).toBeGreaterThan(100);
    },
  );
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
    // Step 2 is a checkpoint of its own; what the run ends with is registered last.
    expect(await world.models()).toMatchObject([
      { step: 2, isFinal: false },
      { step: 1, isFinal: true, weights: [101] },
    ]);

    // Started again it finds the same end, and not the weights that went too far.
    const again = world.start();
    await again.trainer.run();
    expect(again.trainer.status()).toMatchObject({ state: 'finished', ended_by: 'kl-budget', step: 2 });
    expect(world.servedWeights()).toEqual([101]);
  });
});
