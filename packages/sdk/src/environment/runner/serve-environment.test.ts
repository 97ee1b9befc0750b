import { realClock } from '@lachesis/protocol';
import { decodeGroup, encodeGroup, type GroupPayload } from '@lachesis/protocol/codec';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ClientError } from '../../clients/client-error.ts';
import { defineEnvironment } from '../define-environment.ts';
import { openUnsentGroups } from '../output/open-unsent-groups.ts';
import { createScriptedPolicy } from '../policy/create-scripted-policy.ts';
import type { Policy } from '../policy/policy.ts';
import { countIds, never, openToy, toy, toyPolicy } from '../testing/toy-environment.fixture.ts';
import { evaluateEnvironment } from './evaluate-environment.ts';
import type { RunEvent } from './run-event.ts';
import {
  serveEnvironment,
  type EnvironmentClient,
  type ServeOptions,
  type TrainerAnswer,
  type TrainerQuestion,
} from './serve-environment.ts';

/** A trajectory API with a trainer that takes a batch of 8 sequences whenever there is one, `stepMs` apart. */
function createApi({ startingStep = 0, isTraining = true } = {}) {
  const pushed: GroupPayload[] = [];
  let taken = 0;
  let most = 0;
  const step = () => startingStep + Math.floor(taken / 2);
  const take = (): void => {
    while (isTraining && pushed.length - taken >= 2) taken += 2;
  };
  const client: EnvironmentClient = {
    registerEnvironment: async () => ({
      env_id: 0,
      wandb_name: 'toy_0',
      checkpoint_dir: '',
      starting_step: startingStep,
      checkpoint_interval: 0,
      num_steps: 100,
    }),
    environmentStatus: async () => {
      take();
      return {
        current_step: step(),
        queue_size: pushed.length - taken,
        self_queue_size: 0,
        unallocated_fraction: 1,
        max_group_size: 4,
        env_weight: 1,
      };
    },
    disconnectEnvironment: async () => true,
    pushGroup: async (group, { idempotencyKey }) => {
      pushed.push(decodeGroup(encodeGroup(group)));
      most = Math.max(most, pushed.length - taken);
      return { group_id: idempotencyKey, status: 'queued', replayed: false, durability: 'local' };
    },
  };
  return { client, pushed, mostWaiting: () => most };
}

async function serve(
  given: Partial<ServeOptions> & { api: ReturnType<typeof createApi>; flags?: Record<string, string> },
) {
  const events: RunEvent[] = [];
  const environment =
    given.environment ??
    (await openToy({ group_size: '4', batch_size: '8', total_steps: '3', steps_per_eval: '0', ...given.flags }));
  const policy = given.policy ?? toyPolicy;
  const summary = await serveEnvironment({
    definition: toy,
    environment,
    policy,
    client: given.api.client,
    readBatchSize: async () => 8,
    clock: { now: realClock.now, sleep: (ms, signal) => realClock.sleep(Math.min(ms, 2), signal) },
    nextId: countIds(),
    signal: never,
    onEvent: (event) => events.push(event),
    evaluate: () =>
      evaluateEnvironment({ environment, policy, nextId: countIds(), now: () => 0, signal: never, onEvent: () => {} }),
    ...given,
  });
  return { summary, events };
}

test('sends groups until the trainer has made its steps, and logs metrics at each', async () => {
  const api = createApi();
  const { summary, events } = await serve({ api });
  expect(summary.step).toBeGreaterThanOrEqual(3);
  expect(summary.groups).toBe(api.pushed.length);
  expect(summary.failures).toBe(0);
  expect(api.pushed[0]!.tokens.rowLengths).toHaveLength(4);
  expect(api.pushed[0]!.header.rollout_ids).toHaveLength(4);
  const logged = events.filter((event) => event.kind === 'metrics-logged');
  expect(logged[0]!.metrics).toMatchObject({
    'train/percent_correct': expect.any(Number),
    'train/mean_reward': expect.any(Number),
    'train/failure_rate': 0,
    'train/reward_entropy': expect.any(Number),
  });
});

test('never has more waiting or in flight than the trainer takes before they are stale', async () => {
  const api = createApi({ isTraining: false });
  const stop = new AbortController();
  const { events } = await serve({
    api,
    flags: { max_batches_offpolicy: '2' },
    signal: stop.signal,
    onEvent: (event) => {
      if (event.kind === 'run-waiting') stop.abort();
    },
  });
  expect(api.mostWaiting()).toBe(4);
  expect(events).toEqual([]);
});

test('a process that was started again goes on with other items', async () => {
  const first = createApi();
  await serve({ api: first });
  const second = createApi({ startingStep: 50 });
  await serve({ api: second, flags: { total_steps: '53' } });
  const texts = (pushed: GroupPayload[]) => new Set(pushed.map(({ tokens }) => tokens.values.join()));
  expect(texts(first.pushed).intersection(texts(second.pushed)).size).toBe(0);
});

test('a curriculum begins with the rates of the process before, and tells again what was not taken', async () => {
  const few = defineEnvironment({
    ...{ name: 'few', description: 'Even or odd.', formatPrompt: (item: number) => `Is ${item} even?` },
    items: { train: [1, 2, 3, 4], evaluation: [5] },
    computeReward: (item, { finalResponse }) => (finalResponse === (item % 2 === 0 ? 'yes' : 'no') ? 1 : 0),
  });
  const environment = await openToy(
    { group_size: '4', batch_size: '8', total_steps: '3', steps_per_eval: '0', max_pass_rate: '0.9' },
    few,
  );
  const api = createApi();
  const saved: string[][] = [];
  const { events } = await serve({
    api,
    environment,
    itemRates: {
      load: async () => ['train-0', 'train-1', 'train-2'].map((item) => ({ item, rollouts: 64, passed: 64 })),
      save: async (rates) => saved.push(rates.map(({ item }) => item)) > 1,
    },
  });
  expect(api.pushed[0]?.header.item).toBe('train-3');
  expect(saved[1]).toEqual(expect.arrayContaining(saved[0]!));
  const setAside = events.flatMap((event) =>
    event.kind === 'metrics-logged' ? (event.metrics['curriculum/set_aside'] ?? []) : [],
  );
  expect(setAside.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
});

test('pauses with the reason after ten failures in a row and goes on when a rollout succeeds', async () => {
  const api = createApi();
  let asked = 0;
  const policy: Policy = {
    complete: async (request) => {
      asked += 1;
      if (asked <= 12) throw new Error('the GPU is gone');
      return toyPolicy.complete(request);
    },
  };
  const { events, summary } = await serve({ api, policy, probeSeconds: 0.001 });
  const paused = events.findIndex(({ kind }) => kind === 'run-paused');
  expect(events[paused]).toMatchObject({
    reason: expect.stringContaining('in a row failed; the last: infrastructure, the GPU is gone'),
  });
  expect(events.findIndex(({ kind }) => kind === 'run-resumed')).toBeGreaterThan(paused);
  expect(summary.failures).toBeGreaterThanOrEqual(10);
  for (const { scores } of api.pushed) expect(scores).toHaveLength(4);
});

test('evaluates when its step is due, and none of it reaches the trajectory API', async () => {
  const api = createApi();
  const { events } = await serve({ api, flags: { steps_per_eval: '1', total_steps: '6' } });
  const evaluated = events.filter((event) => event.kind === 'metrics-logged' && 'eval/mean_reward' in event.metrics);
  expect(evaluated.length).toBeGreaterThan(0);
  for (const event of evaluated) {
    expect(
      Object.keys(event.kind === 'metrics-logged' ? event.metrics : {}).every((name) => name.startsWith('eval/')),
    ).toBe(true);
  }
  for (const { header, tokens } of api.pushed) {
    expect(header.split).toBe('train');
    // Numbers of the evaluation split are negative.
    expect(String.fromCodePoint(...tokens.values)).not.toContain('-');
  }
});

test('dead groups are kept back when asked for', async () => {
  const dead = createScriptedPolicy(() => 'neither');
  const api = createApi();
  const stop = new AbortController();
  let dropped = 0;
  await serve({
    api,
    policy: dead,
    signal: stop.signal,
    flags: { ensure_scores_are_not_same: 'true' },
    onEvent: ({ kind }) => {
      if (kind === 'group-dropped' && (dropped += 1) === 20) stop.abort();
    },
  });
  expect(api.pushed).toHaveLength(0);

  const resampled = createApi();
  const { summary } = await serve({
    api: resampled,
    policy: dead,
    flags: { dynamic_resampling: 'true', max_resamples: '3' },
  });
  expect(summary.groupsDropped / summary.groups).toBeGreaterThan(2);
  expect(resampled.pushed.length).toBeGreaterThanOrEqual(6);
});

test('a refused group is dropped and told; a run that is not there ends the environment', async () => {
  const refusal = (status: number) => () =>
    Promise.reject(new ClientError({ code: 'http', call: 'POST /v1/groups', reason: 'no', status, retryable: false }));
  const api = createApi();
  let pushes = 0;
  const original = api.client.pushGroup;
  api.client.pushGroup = async (...args) => ((pushes += 1) === 1 ? refusal(422)() : original(...args));
  const { summary } = await serve({ api });
  expect(summary.groupsDropped).toBe(1);

  const gone = createApi();
  gone.client.pushGroup = refusal(401);
  await expect(serve({ api: gone })).rejects.toThrow(/401/);
});

test('a finished group that could not be placed is sent by the next process, under the same key', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'lachesis-unsent-'));
  const unsent = openUnsentGroups({ folder, url: 'http://localhost:8000', now: Date.now });
  const conflict = new ClientError({
    ...{ code: 'http' as const, call: 'POST /v1/groups', reason: 'taken', status: 409, retryable: false },
  });
  const busy = createApi();
  const stop = new AbortController();
  const keys = new Set<string>();
  busy.client.pushGroup = async (_, { idempotencyKey }) => {
    keys.add(idempotencyKey);
    if (keys.size === 2) stop.abort();
    throw conflict;
  };
  const { summary } = await serve({ api: busy, unsent, signal: stop.signal });
  expect(summary.groupsDropped).toBe(0);
  expect((await unsent.list()).map(({ groupId }) => groupId).toSorted()).toEqual([...keys].toSorted());

  const well = createApi();
  const sent: string[] = [];
  const push = well.client.pushGroup;
  well.client.pushGroup = (group, options) => (sent.push(options.idempotencyKey), push(group, options));
  await serve({ api: well, unsent });
  expect(sent).toEqual(expect.arrayContaining([...keys]));
  expect(await unsent.list()).toEqual([]);
  await rm(folder, { recursive: true });
});

test('a sequence that is too long is not sent', async () => {
  const api = createApi();
  const stop = new AbortController();
  const reasons: string[] = [];
  await serve({
    api,
    signal: stop.signal,
    flags: { max_token_length: '10' },
    onEvent: (event) => {
      if (event.kind !== 'group-dropped') return;
      reasons.push(event.reason);
      stop.abort();
    },
  });
  expect(reasons[0]).toMatch(/a sequence has \d+ tokens, more than env.max_token_length \(10\)/);
});

test('an environment with nothing to give says so and waits', async () => {
  const empty = defineEnvironment({
    name: 'empty',
    items: { train: [], evaluation: [] },
    formatPrompt: () => '',
    computeReward: () => 0,
  });
  const stop = new AbortController();
  const reasons: string[] = [];
  await serve({
    api: createApi(),
    environment: await openToy({ steps_per_eval: '0' }, empty),
    signal: stop.signal,
    onEvent: (event) => {
      if (event.kind !== 'run-waiting') return;
      reasons.push(event.reason);
      stop.abort();
    },
  });
  expect(reasons).toEqual(['the environment has no item to give']);
});

test('an outage of the trajectory API is waited out, and a run that was reset is joined again', async () => {
  const api = createApi();
  const ask = api.client.environmentStatus;
  const failure = (status: number, retryable: boolean) =>
    new ClientError({ code: 'http', call: 'GET /status-env', reason: 'away', status, retryable });
  let [asked, registrations] = [0, 0];
  const register = api.client.registerEnvironment;
  api.client.registerEnvironment = (...args) => {
    registrations += 1;
    return register(...args);
  };
  api.client.environmentStatus = async (...args) => {
    asked += 1;
    if (asked === 1) throw failure(503, true);
    if (asked === 2) throw failure(404, false);
    return ask(...args);
  };
  const { events, summary } = await serve({ api });
  expect(events).toContainEqual({ kind: 'run-waiting', reason: 'the trajectory API does not answer: away' });
  expect([registrations, summary.step >= 3]).toEqual([2, true]);
});

/** A trainer over the API above: batches of two groups, each trained when somebody asks after it was taken. */
function createTrainer(api: ReturnType<typeof createApi>, total: number) {
  const questions: TrainerQuestion[] = [];
  let served = 0;
  const ask = async (question: TrainerQuestion): Promise<TrainerAnswer> => {
    questions.push(question);
    const taken = Math.min(total, Math.floor(api.pushed.length / 2));
    served = Math.min(taken, served + 1);
    const ids = api.pushed.slice(0, taken * 2).map(({ header }) => header.group_id ?? '');
    const groups = question.groupIds.flatMap((id) => {
      const at = ids.indexOf(id);
      return at === -1 ? [] : [[id, { step: Math.floor(at / 2) + 1, taken_seconds_ago: 0 }] as const];
    });
    return { taken_step: taken, served_step: served, is_over: served >= total, groups: Object.fromEntries(groups) };
  };
  return { ask, questions };
}

const rewardsOf = (groups: readonly GroupPayload[]): number[] => groups.flatMap(({ scores }) => [...scores]);
const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

test('numbers of a step are those of the groups that the trainer trained in it', async () => {
  const api = createApi();
  const trainer = createTrainer(api, 3);
  const { events } = await serve({ api, askTrainer: trainer.ask });
  const rows = events.filter((event) => event.kind === 'metrics-logged');
  expect(rows.map(({ step }) => step)).toEqual([...new Set(rows.map(({ step }) => step))]);
  for (const step of [1, 2]) {
    const row = rows.find((candidate) => candidate.step === step);
    const trained = rewardsOf(api.pushed.slice(2 * step - 2, 2 * step));
    expect(row?.metrics['train/mean_reward']).toBeCloseTo(average(trained), 12);
    expect(row?.metrics['train/groups']).toBe(2);
    expect(row?.metrics['time/queue_seconds']).toBeGreaterThanOrEqual(0);
  }
  expect(trainer.questions.at(-1)).toEqual({ groupIds: [], isDone: true });
});

test('a trainer that is a step ahead of what the trajectory API says leaves no step untold', async () => {
  const api = createApi();
  const trainer = createTrainer(api, 3);
  const { events } = await serve({
    api,
    askTrainer: async (question) => {
      const answer = await trainer.ask(question);
      if (typeof answer !== 'object') return answer;
      return { ...answer, taken_step: Math.min(3, answer.taken_step + 1), is_over: answer.taken_step >= 2 };
    },
  });
  const told = events.flatMap((event) => (event.kind === 'metrics-logged' ? [event.step] : []));
  expect(told).toEqual(expect.arrayContaining([1, 2]));
});

test('the weights of the start and of the end are evaluated, and those between when their step is due', async () => {
  const api = createApi();
  const trainer = createTrainer(api, 4);
  const { events } = await serve({
    api,
    askTrainer: trainer.ask,
    flags: { steps_per_eval: '100', total_steps: '4' },
  });
  const rows = events.flatMap((event) => (event.kind === 'metrics-logged' ? [event] : []));
  const evaluated = rows.filter(({ metrics }) => 'eval/mean_reward' in metrics);
  expect(evaluated.map(({ step }) => step)).toEqual([0, 4]);
  const firstRollout = events.findIndex((event) => event.kind === 'rollout-ended');
  expect(events.indexOf(evaluated[0]!)).toBeLessThan(firstRollout);
});

test('what was set aside for a group goes along with it, so that the reward of all rollouts is known', async () => {
  let asked = 0;
  // The first two items are answered alike by everybody.
  const policy = createScriptedPolicy((_request, sample) =>
    (asked += 1) <= 8 ? 'neither' : sample % 2 ? 'yes' : 'no',
  );
  const api = createApi();
  const { events } = await serve({
    api,
    policy,
    flags: { dynamic_resampling: 'true', max_num_workers: '1' },
    askTrainer: createTrainer(api, 3).ask,
  });
  const aside = api.pushed.flatMap(({ header }) => header.set_aside ?? []);
  expect(aside[0]).toEqual({ groups: 2, rollouts: 8, reward_sum: 0 });
  const row = events.find((event) => event.kind === 'metrics-logged' && event.step === 1);
  expect(row).toMatchObject({
    metrics: { 'train/groups_dropped': 2, 'train/rollouts': 16, 'train/mean_reward': 0.25 },
  });
});

test('strictly on-policy, each batch is sampled from the weights of the step before it, and no group is made ahead', async () => {
  const api = createApi({ isTraining: false });
  // The trainer holds a batch for three questions before its weights are served.
  let [version, held, taken] = [0, 0, 0];
  const total = 3;
  const versions: number[] = [];
  const askTrainer = async (): Promise<TrainerAnswer> => {
    if (held === 0 && api.pushed.length - taken >= 2) [taken, held] = [taken + 2, 3];
    else if (held > 0 && (held -= 1) === 0) version += 1;
    const round = held === 0 ? `${version}.1` : null;
    return { taken_step: taken / 2, served_step: version, is_over: version >= total, round, groups: {} };
  };
  const status = api.client.environmentStatus;
  api.client.environmentStatus = async (...args) => ({
    ...(await status(...args)),
    queue_size: api.pushed.length - taken,
  });
  const policy: Policy = {
    complete: (request) => {
      versions.push(held === 0 ? version : -1);
      return toyPolicy.complete(request);
    },
  };
  await serve({ api, policy, askTrainer, flags: { max_batches_offpolicy: '0', total_steps: '100' } });
  expect(api.pushed).toHaveLength(2 * total);
  // Two groups of each version, and none while a batch was trained on.
  expect([...new Set(versions)]).toEqual([0, 1, 2]);
});

test('strictly on-policy, a trainer that opens no rounds is refused', async () => {
  const flags = { max_batches_offpolicy: '0' };
  await expect(serve({ api: createApi(), flags })).rejects.toThrow(/no trainer that says when its new weights/);
  const api = createApi();
  await expect(serve({ api, askTrainer: createTrainer(api, 3).ask, flags })).rejects.toThrow(
    /not in the recipe of the trainer/,
  );
});

test('goes on until the trainer has made its steps, however many batches hold nothing to learn from', async () => {
  const api = createApi();
  // Each second batch makes no step.
  const askTrainer = async (): Promise<TrainerAnswer> => {
    const made = Math.min(3, Math.floor(api.pushed.length / 4));
    return { taken_step: made, served_step: made, is_over: made >= 3, groups: {} };
  };
  await serve({ api, askTrainer });
  expect(api.pushed.length).toBeGreaterThanOrEqual(12);
});
