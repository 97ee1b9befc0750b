import { findToken } from '@lachesis/store';

import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import { findLeaks, type Secrets } from './find-secrets.ts';
import { findStrangeRows } from './find-strange-rows.ts';
import { improveAndPromote } from './improve-and-promote.ts';
import { askWithOneToken, trainAsLocal } from './mutants.ts';
import { answerAsProvider, answerAsReward, CALLS, recordAndRate } from './record-and-rate.ts';
import { startCanary, type Canary } from './start-canary.ts';
import { preparePlace, startUp, STEPS, variablesOf, type Outside, type Place, type Up } from './start-up.ts';
import { createTenant, nameTokens, openHome, type Tenant } from './tenants.ts';
import { readNotes } from './read-notes.ts';
import { trainByHttp, trainByMcp, type TrainedRun } from './train-with-tools.ts';
import { tryStrangers, type Attempt } from './try-strangers.ts';
import { watchProcesses, type WatchedRun } from './watch-processes.ts';

const RUN_MS = 300_000;
const END_MS = 30_000;

/** One for each thing a person has a key for; made here so that none looks like a real one. */
const KEYS = Object.fromEntries(
  [
    ...['LACHESIS_UPSTREAM_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'TINKER_API_KEY', 'LACHESIS_REWARD_KEY'],
    ...['HF_TOKEN', 'WANDB_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'GITHUB_TOKEN', 'LACHESIS_JUDGE_API_KEY'],
  ].map((name) => [name, ['canary', name.toLowerCase(), 'a1b2c3d4e5'].join('-')]),
);

interface Scene {
  readonly place: Place;
  readonly outside: Outside;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly canaries: Readonly<Record<'engine' | 'provider' | 'reward', Canary>>;
  readonly secrets: Secrets;
  /** Lets the rollouts be scored. */
  readonly openGate: () => void;
  readonly up: Up;
}

/** `pnpm e2e tokens`: the whole story with tokens on, for two tenants, and nobody outside sees what is not theirs. */
export const scenarios: Scenario[] = [
  {
    name: 'story',
    title:
      'from an empty home with tokens on: record, rate, train by tools and MCP, improve, promote; canaries see nothing',
    async run(context) {
      const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
      context.defer(() => engine.stop());
      const gate = Promise.withResolvers<void>();
      const canaries = {
        engine: await startCanary({ forwardTo: engine.url }),
        provider: await startCanary({ make: answerAsProvider }),
        reward: await startCanary({ make: (body) => answerAsReward(body, gate.promise) }),
      };
      for (const canary of Object.values(canaries)) context.defer(async () => canary[Symbol.asyncDispose]());
      const outside = {
        engineUrl: canaries.engine.url,
        providerUrl: canaries.provider.url,
        rewardUrl: canaries.reward.url,
      };
      const place = await preparePlace(await context.scratch(), outside);
      const env = variablesOf(place, outside, KEYS);
      const store = await openHome(place.home);
      context.defer(() => store.close());
      const tenants = {
        local: await createTenant(store, 'local'),
        acme: await createTenant(store, 'acme'),
        beta: await createTenant(store, 'beta'),
      };
      const up = await startUp(place, outside, env);
      context.defer(async () => void (await up.process.stop({ graceMs: END_MS })));
      const secrets = new Map([...Object.entries(KEYS), ...Object.values(tenants).flatMap(nameTokens)]);
      const scene: Scene = { place, outside, env, canaries, secrets, up, openGate: () => gate.resolve() };
      try {
        await showRecords(context, scene, tenants);
        await showTest(context, scene, tenants.acme);
        const [watched] = await Promise.all([
          showRuns(context, scene, { store, ...tenants }),
          showImprovement(context, scene),
        ]);
        await showEnds(context, store, watched);
        showCanaries(context, scene);
        showRows(context, scene);
      } finally {
        gate.resolve();
      }
    },
  },
  {
    name: 'mutants',
    title: 'a server that sends its token everywhere, and a trainer that writes as somebody else, are caught',
    async run(context) {
      const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
      context.defer(() => engine.stop());
      await using provider = await startCanary({ make: answerAsProvider });
      await using reward = await startCanary({ make: (body) => answerAsReward(body, Promise.resolve()) });
      const outside = { engineUrl: engine.url, providerUrl: provider.url, rewardUrl: reward.url };
      const place = await preparePlace(await context.scratch(), outside);
      const environment = { ...process.env, ...variablesOf(place, outside, KEYS) };
      const token = await askWithOneToken(place, environment);
      const leaks = findLeaks(provider.seen, { secrets: new Map([['the token of the server', token]]), allowed: [] });
      context.report({
        name: 'mutant whose every call carries the server’s token',
        figure: leaks.length === 0 ? 'not noticed' : `the provider saw ${leaks.join(', ')}`,
        bar: 'noticed',
        ok: leaks.length > 0,
      });
      const strange = await trainAsLocal(place, environment);
      context.report({
        name: 'mutant whose trainer writes as local',
        figure: strange.length === 0 ? 'not noticed' : strange.join(', '),
        bar: 'noticed',
        ok: strange.length > 0,
      });
    },
  },
];

async function showRecords(
  context: ScenarioContext,
  { up }: Scene,
  tenants: Readonly<Record<string, Tenant>>,
): Promise<void> {
  const seen = await Promise.all(
    Object.values(tenants).map(async (tenant) => {
      const { seen: calls, ratings } = await recordAndRate({ ...up, tenant });
      return `${tenant.name} ${calls} calls, ${ratings} ratings`;
    }),
  );
  const wanted = Object.keys(tenants).map((name) => `${name} ${CALLS} calls, ${CALLS} ratings`);
  context.report({
    ...{ name: 'record and rate', figure: seen.join('; '), bar: `${CALLS} of each tenant’s own` },
    ok: seen.join() === wanted.join(),
  });
}

/** No run goes on: the provider is asked, with its own key. */
async function showTest(context: ScenarioContext, { up }: Scene, { trainer }: Tenant): Promise<void> {
  const reply = await fetch(`${up.controlUrl}/test/inference`, {
    method: 'POST',
    headers: { authorization: `Bearer ${trainer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompts: ['hi', 'there'] }),
  });
  const { results = [] } = (await reply.json()) as { results?: { response: string | null }[] };
  const answered = results.filter(({ response }) => response !== null).length;
  context.report({ name: 'test of a provider', figure: `${answered} of 2 answered`, bar: 'both', ok: answered === 2 });
}

async function showRuns(
  context: ScenarioContext,
  scene: Scene,
  { store, acme, beta }: { store: Awaited<ReturnType<typeof openHome>>; acme: Tenant; beta: Tenant },
): Promise<readonly WatchedRun[]> {
  const { up, place, secrets } = scene;
  const both = {
    acme: Promise.withResolvers<[string, WatchedRun]>(),
    beta: Promise.withResolvers<[string, WatchedRun]>(),
  };
  const train = (tenant: Tenant, by: typeof trainByHttp, seen: PromiseWithResolvers<[string, WatchedRun]>) =>
    by({
      ...{ controlUrl: up.controlUrl, token: tenant.trainer, cwd: place.project, timeoutMs: RUN_MS, log: context.log },
      async whileRunning(shortId) {
        await fetch(`${up.controlUrl}/runs/${shortId}/why`, { headers: { authorization: `Bearer ${tenant.rater}` } });
        seen.resolve([shortId, await watchProcesses({ store, tenantId: tenant.name, shortId, secrets })]);
      },
    });
  const trying = tryBoth(up, { acme, beta }, Promise.all([both.acme.promise, both.beta.promise])).finally(
    scene.openGate,
  );
  // Waited for below; a run that fails before is told first.
  trying.catch(() => undefined);
  const runs = await Promise.all([train(acme, trainByHttp, both.acme), train(beta, trainByMcp, both.beta)]);
  // One that never went on was never looked at, and nobody waits for that.
  for (const { reject } of Object.values(both))
    reject(new Error(`a run never went on: ${runs.map(({ reason }) => reason).join('; ')}`));
  reportRun(context, 'run of acme, by tools over HTTP', runs[0]);
  reportRun(context, 'run of beta, by tools over MCP', runs[1]);
  const { attempts, watched } = await trying;
  const wrong = attempts.filter(({ status, wanted }) => status !== wanted);
  context.report({
    name: 'strangers and environments',
    figure: `${attempts.length - wrong.length} of ${attempts.length} refused${wrong.map(({ what, status }) => `; ${what}: ${status}`).join('')}`,
    bar: 'all',
    ok: wrong.length === 0,
  });
  const problems = watched.flatMap((each) => each.problems);
  const tokens = watched.flatMap((each) => [...each.tokens.keys()]);
  context.report({
    name: 'what processes hold',
    figure: problems.length === 0 ? `${tokens.length} tokens, each for its run and its work` : problems.join('; '),
    bar: '4: of two trainers and two environments',
    ok: problems.length === 0 && tokens.length === 4,
  });
  return watched;
}

async function tryBoth(
  { controlUrl }: Up,
  { acme, beta }: { acme: Tenant; beta: Tenant },
  seen: Promise<[[string, WatchedRun], [string, WatchedRun]]>,
): Promise<{ attempts: Attempt[]; watched: WatchedRun[] }> {
  const [[first, ofAcme], [second, ofBeta]] = await seen;
  const own = { runId: first, tenant: acme, watched: ofAcme };
  const other = { runId: second, tenant: beta, watched: ofBeta };
  const attempts = [
    ...(await tryStrangers({ controlUrl, own, other })),
    ...(await tryStrangers({ controlUrl, own: other, other: own })),
  ];
  return { attempts, watched: [ofAcme, ofBeta] };
}

function reportRun(
  context: ScenarioContext,
  name: string,
  { status, reason, step, weightsPath, tested }: TrainedRun,
): void {
  context.report({
    name,
    figure: `${status} (${reason ?? ''}), step ${step}, ${weightsPath === null ? 'no weights' : 'weights'}, ${tested} prompt answered by its policy`,
    bar: `completed, step ${STEPS}, weights, 1`,
    ok: status === 'completed' && step === STEPS && weightsPath !== null && tested === 1,
  });
}

async function showImprovement(context: ScenarioContext, { place, env }: Scene): Promise<void> {
  const { outcome, promoted } = await improveAndPromote(place, env);
  const isDone = ['promoted', 'not-better', 'worse'].includes(outcome);
  context.report({
    ...{
      name: 'improve and promote',
      figure: `${outcome}, serves ${promoted}`,
      bar: 'a candidate that was judged, talker@1',
    },
    ok: isDone && promoted === 'talker@1',
  });
}

/** What a process held proves nothing once it has ended. */
async function showEnds(
  context: ScenarioContext,
  store: Awaited<ReturnType<typeof openHome>>,
  watched: readonly WatchedRun[],
): Promise<void> {
  const tokens = watched.flatMap((each) => [...each.tokens.values()]);
  const found = await Promise.all(tokens.map((token) => findToken({ store, token })));
  const good = found.filter((token) => token !== undefined).length;
  context.report({
    name: 'tokens of ended processes',
    figure: `${good} of ${tokens.length} good`,
    bar: '0',
    ok: good === 0,
  });
}

function showCanaries(context: ScenarioContext, { canaries, secrets, place }: Scene): void {
  const seen: [who: string, calls: readonly unknown[], allowed: readonly string[]][] = [
    ['the provider', canaries.provider.seen, ['LACHESIS_UPSTREAM_API_KEY', 'OPENAI_API_KEY']],
    ['the engine', canaries.engine.seen, ['TINKER_API_KEY']],
    ['the reward server', canaries.reward.seen, ['LACHESIS_REWARD_KEY']],
  ];
  for (const [who, calls, allowed] of seen) {
    const leaks = findLeaks(calls, { secrets, allowed });
    const isKeyed = findLeaks(calls, { secrets, allowed: [] }).some((name) => allowed.includes(name));
    context.report({
      name: `${who}, ${calls.length} calls`,
      figure: `${leaks.length === 0 ? 'nothing that is not its own' : leaks.join(', ')}; its own key ${isKeyed ? 'came' : 'did not come'}`,
      bar: 'nothing, and its own key',
      ok: leaks.length === 0 && isKeyed && calls.length > 0,
    });
  }
  const notes = readNotes(place.notes);
  const leaks = findLeaks(
    notes.map(({ withoutToken }) => withoutToken),
    { secrets, allowed: ['LACHESIS_REWARD_KEY'] },
  );
  const runs = new Set(notes.flatMap(({ run }) => run ?? []));
  context.report({
    name: `the environment, ${notes.length} starts in ${runs.size} runs`,
    figure: leaks.length === 0 ? 'its own token, the key of its reward server, nothing else' : leaks.join(', '),
    bar: 'nothing else',
    ok: leaks.length === 0 && runs.size === 2,
  });
}

const WRITTEN = [
  'groups',
  'batches',
  'steps',
  'metric_points',
  'checkpoints',
  'policy_versions',
  'events',
  'run_processes',
];

function showRows(context: ScenarioContext, { place }: Scene): void {
  const { strange, counts } = findStrangeRows(place.home);
  const missing = ['acme', 'beta'].flatMap((tenant) =>
    WRITTEN.filter((table) => (counts.get(tenant)?.get(table) ?? 0) === 0).map((table) => `${tenant} has no ${table}`),
  );
  const sums = [...counts].map(
    ([tenant, tables]) => `${tenant} ${[...tables.values()].reduce((sum, count) => sum + count, 0)}`,
  );
  context.report({
    name: 'rows by tenant',
    figure: [strange.length === 0 ? `0 leaks (${sums.join(', ')} rows)` : strange.join('; '), ...missing].join('; '),
    bar: '0 leaks, both in every table',
    ok: strange.length === 0 && missing.length === 0,
  });
}
