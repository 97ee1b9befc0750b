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
import { serveEnvironment, type EnvironmentClient, type ServeOptions } from './serve-environment.ts';

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
    environment: await openToy({}, empty),
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
