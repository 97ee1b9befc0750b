import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';

import { chooseSlice } from '../../kit/choose-slice.ts';
import { findFreePort } from '../../kit/find-free-port.ts';
import { typePage } from '../../kit/type-page.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { listProcesses } from '../demo/list-processes.ts';
import { prepareMachine, type Place } from '../first-run/fresh-machine.ts';
import { openLachesis, type Lachesis } from '../first-run/lachesis.ts';
import { CHOICES, severalEnvironments } from './several-environments.ts';
import { OTHER_WAYS, WAYS, type Served, type Way } from './start-in-ways.ts';

const INSTALL = fileURLToPath(new URL('../../../docs/get-started/install.md', import.meta.url));
const FINAL = new Set(['completed', 'stopped', 'failed']);
const END_MS = 240_000;
/** A supervisor that died is missed at once by one of the same machine; then the run is started again. */
const TAKEN_UP_MS = 180_000;

interface Listed {
  run_id: string;
  kind: string;
  status: string;
}

/** `pnpm e2e runs`: runs started in every way there is, from the packages, in one home and with tokens on. */
export const scenarios: Scenario[] = [
  severalEnvironments,
  {
    name: 'ways',
    title: 'runs started in every way are in one list, at home and on a server, each with curve, logs, why and weights',
    async run(context) {
      const root = await context.scratch();
      const machine = await prepareMachine(root);
      const page = await readFile(INSTALL, 'utf8');
      await typePage({ ...(await machine.openEmpty('installed')), page, log: () => undefined });
      const place = await machine.openInstalled('runs', { withModels: true });
      const lachesis = openLachesis(place, context.log);
      context.defer(async () => void (await lachesis.type(['engine', 'down'], { codes: [0, 1] })));
      await lachesis.type(['engine', 'up']);
      const served = await serveControl(context, lachesis, place);
      const isOther = chooseSlice(CHOICES, 1)[0] === 'another way';
      const ways = [...WAYS, ...(context.full ? OTHER_WAYS : chooseSlice(OTHER_WAYS, isOther ? 1 : 0))];
      for (const { name } of OTHER_WAYS.filter((way) => !ways.includes(way))) {
        context.reportNotRun({
          name: `started by ${name}`,
          why: 'started for another commit, and by --full',
          bar: 'listed',
        });
      }
      const runs = await startAll(context, { ways, lachesis, place, served });
      await showLists(context, { runs, lachesis, served });
      await showEach(context, { runs, lachesis, served, place });
      await showAgain(context, { lachesis, place });
      await showModel(context, lachesis);
      await showKill(context, { lachesis, place });
      await showStop(context, lachesis);
      context.report({
        ...{ name: 'two runs of one environment share no file', bar: 'a folder each' },
        ...(await judgeFolders(place, runs)),
      });
      const left = await listStations(root);
      context.report({ name: 'processes of runs left', figure: String(left.length), bar: '0', ok: left.length === 0 });
    },
  },
];

/** Trainers and environments that are still there. */
async function listStations(root: string): Promise<number[]> {
  const pids = await listProcesses(root);
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => /serve\0trainer|env\0serve/.test(commands[index] ?? ''));
}

type Started = ReadonlyMap<Way, string>;

async function serveControl(context: ScenarioContext, lachesis: Lachesis, { home }: Place): Promise<Served> {
  const port = await findFreePort();
  const server = await lachesis.begin(['serve', 'control', '--port', String(port), '--recipe', 'cpu_tiny']);
  context.defer(async () => void (await server.stop({ graceMs: 30_000 })));
  const url = `http://127.0.0.1:${port}`;
  const until = performance.now() + 60_000;
  for (;;) {
    const isUp = await fetch(`${url}/health`).then(
      (reply) => reply.ok,
      () => false,
    );
    if (isUp) break;
    if (performance.now() > until) throw new Error(`the control server does not answer:\n${server.logs()}`);
    await sleep(200);
  }
  return { url, token: (await readFile(join(home, '.lachesis', 'token'), 'utf8')).trim() };
}

/** Over HTTP and MCP both are under way at once; the others one after another. */
async function startAll(
  context: ScenarioContext,
  options: { ways: readonly Way[]; lachesis: Lachesis; place: Place; served: Served },
): Promise<Started> {
  const runs = new Map<Way, string>();
  for (const way of options.ways) {
    const startedAt = performance.now();
    runs.set(way, await way.start(options));
    context.log(`${way.name}: ${runs.get(way)} after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  }
  const until = performance.now() + END_MS;
  for (const run of runs.values()) {
    while (!FINAL.has((await readRun(options.served, run)).status) && performance.now() < until) await sleep(500);
  }
  return runs;
}

async function ask<T>({ url, token }: Served, path: string): Promise<T> {
  const reply = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  if (!reply.ok) throw new Error(`GET ${path} answered ${reply.status}: ${await reply.text()}`);
  return (await reply.json()) as T;
}

const readRun = (served: Served, run: string): Promise<Listed & { weights_path: string | null }> =>
  ask(served, `/runs/${run}`);

async function showLists(
  context: ScenarioContext,
  { runs, lachesis, served }: { runs: Started; lachesis: Lachesis; served: Served },
): Promise<void> {
  const atHome = await lachesis.json<{ runs: Listed[] }>(['runs', 'list']);
  const there = await lachesis.json<{ runs: Listed[] }>(['runs', 'list', '--server', served.url]);
  for (const [place, list] of [
    ['at home', atHome.runs],
    ['on the server', there.runs],
  ] as const) {
    const missing = [...runs].filter(([{ kind }, run]) => !list.some((row) => row.run_id === run && row.kind === kind));
    const ended = [...runs.values()].filter((run) => list.find((row) => row.run_id === run)?.status === 'completed');
    context.report({
      name: `runs listed ${place}`,
      figure: `${runs.size - missing.length} of ${runs.size} (${[...runs.keys()].map(({ name }) => name).join(', ')}), ${ended.length} completed`,
      bar: `all ${runs.size}, all completed`,
      ok: missing.length === 0 && ended.length === runs.size,
    });
  }
}

async function showEach(
  context: ScenarioContext,
  { runs, lachesis, served, place }: { runs: Started; lachesis: Lachesis; served: Served; place: Place },
): Promise<void> {
  const problems: string[] = [];
  for (const [{ name }, run] of runs) {
    const [metrics, why, logs] = await Promise.all([
      ask<{ history: unknown[]; weights_path: string | null }>(served, `/runs/${run}/metrics`),
      lachesis.json<{ status: string; cause: string }>(['runs', 'why', run]),
      lachesis.type(['logs', run, 'trainer', '--tail', '5']),
    ]);
    if (metrics.history.length === 0) problems.push(`${name} has no curve`);
    if (why.cause !== 'run-ended') problems.push(`${name}: why says ${why.cause}`);
    if (logs.out.trim() === '') problems.push(`${name} has no log`);
    const folder = join(place.folder, `weights-${run}`);
    const { rank } = await lachesis.json<{ rank: number }>(['weights', 'download', run, '--to', folder]);
    if (!(rank > 0)) problems.push(`${name} has no weights`);
  }
  context.report({
    name: 'each has a curve, logs, why and weights',
    figure: problems.length === 0 ? `all ${runs.size}` : problems.join('; '),
    bar: `all ${runs.size}`,
    ok: problems.length === 0,
  });
}

/** The file a run left is a recipe: `mode: sync` and the same seeds make the same run. */
async function showAgain(
  context: ScenarioContext,
  { lachesis, place }: { lachesis: Lachesis; place: Place },
): Promise<void> {
  const runs = join(place.home, '.lachesis', 'runs');
  const recipe = join(runs, 'by-train', 'run_by-train.yaml');
  await lachesis.type(['train', '--config', recipe, '--run', 'again', '--any-port']);
  const [first, second] = [await readSteps(join(runs, 'by-train')), await readSteps(join(runs, 'again'))];
  const isSame =
    first.length > 0 &&
    first.length === second.length &&
    first.every(
      ({ reward, loss }, index) =>
        isClose(reward, second[index]?.reward, SAME_SUM) && isClose(loss, second[index]?.loss, SAME_LOSS),
    );
  context.report({
    name: 'the recorded recipe makes the same run again',
    figure: `${first.map(({ reward }) => reward).join(', ')} and ${second.map(({ reward }) => reward).join(', ')}`,
    bar: 'equal rewards, loss within 1e-6',
    ok: isSame,
  });
}

/** Groups arrive in another order, and a sum of floats with them. */
const SAME_SUM = 1e-12;
const SAME_LOSS = 1e-6;
const isClose = (one: number, other: number | undefined, by: number): boolean =>
  other !== undefined && Math.abs(one - other) <= by;

async function readSteps(directory: string): Promise<{ reward: number; loss: number }[]> {
  const lines = (await readFile(join(directory, 'metrics.jsonl'), 'utf8')).split('\n').filter((line) => line !== '');
  return lines.flatMap((line) => {
    const row = JSON.parse(line) as Record<string, number>;
    return row['time/step'] === undefined ? [] : [{ reward: row['reward/mean'] ?? 0, loss: row['train/loss'] ?? 0 }];
  });
}

/** What GRPO learned is a model like any other. */
async function showModel(context: ScenarioContext, lachesis: Lachesis): Promise<void> {
  const compared = await lachesis.type([
    ...['models', 'compare', 'base', 'by-train@1', '--environment', 'digits', '--replies', '1'],
  ]);
  await lachesis.type(['models', 'promote', 'by-train@1']);
  await lachesis.type(['models', 'export', 'by-train@1', '--to', 'vllm']);
  await lachesis.type([
    ...['train', '--config', 'cpu_tiny', '--any-port', '--env.total_steps', '1', '--environment', 'digits'],
    ...['--run', 'forked', '--from', 'by-train'],
  ]);
  const interval = /95 %[^\n]*/.exec(compared.all)?.[0] ?? 'no interval';
  context.report({
    name: 'what GRPO learned: compared, promoted, exported, started from',
    figure: interval,
    bar: 'an interval is printed, the rest ends with 0',
    ok: interval !== 'no interval',
  });
}

/** The control server of the same home is the next supervisor. */
async function showKill(
  context: ScenarioContext,
  { lachesis, place }: { lachesis: Lachesis; place: Place },
): Promise<void> {
  const given = ['--config', 'cpu_tiny', '--any-port', '--env.total_steps', '4', '--environment', 'digits'];
  let hasStepped = false;
  const train = await lachesis.begin(
    ['train', ...given, '--run', 'killed', '--from', 'by-train'],
    (line) => void (hasStepped ||= line.startsWith('step 1')),
  );
  context.defer(async () => void (await train.stop({ signal: 'SIGKILL' })));
  const until = performance.now() + TAKEN_UP_MS;
  while (!hasStepped && performance.now() < until) await sleep(100);
  train.signal('SIGKILL');
  await train.exited;
  const killedAt = performance.now();
  let run = await lachesis.json<Listed & { reason: string }>(['runs', 'show', 'killed']);
  while (!FINAL.has(run.status) && performance.now() < until) {
    await sleep(1_000);
    run = await lachesis.json(['runs', 'show', 'killed']);
  }
  const steps = await readSteps(join(place.home, '.lachesis', 'runs', 'killed'));
  context.report({
    name: 'kill -9 of lachesis train: the next supervisor takes it up',
    figure: `${run.status} (${run.reason}), ${steps.length} steps, ${((performance.now() - killedAt) / 1000).toFixed(0)} s later`,
    bar: 'completed, 4 steps',
    ok: run.status === 'completed' && steps.length === 4,
  });
}

/** One that was left to the background at home, by the beginning of its name. */
async function showStop(context: ScenarioContext, lachesis: Lachesis): Promise<void> {
  const given = ['--recipe', 'cpu_tiny', '--environment', 'digits', '--set', 'initial_state=by-train', '--detach'];
  const { run_id: run } = await lachesis.json<{ run_id: string }>(['runs', 'start', ...given]);
  const until = performance.now() + TAKEN_UP_MS;
  let seen = await lachesis.json<Listed>(['runs', 'show', run]);
  while (seen.status !== 'running' && !FINAL.has(seen.status) && performance.now() < until) {
    await sleep(500);
    seen = await lachesis.json(['runs', 'show', run]);
  }
  const before = seen.status;
  await lachesis.type(['stop', run.slice(0, 6)]);
  seen = await lachesis.json(['runs', 'show', run]);
  context.report({
    name: 'a run in the background, stopped by the beginning of its name',
    figure: `${before}, then ${seen.status}`,
    bar: 'running, then stopped',
    ok: before === 'running' && seen.status === 'stopped',
  });
}

async function judgeFolders({ home }: Place, runs: Started): Promise<{ figure: string; ok: boolean }> {
  const digits = [...runs].filter(([{ name }]) => ['train', 'runs start', 'HTTP', 'MCP'].includes(name));
  const folders = await Promise.all(
    digits.map(([, run]) =>
      readdir(join(home, '.lachesis', 'runs', run, 'environments', 'digits')).catch((): string[] => []),
    ),
  );
  const whole = folders.filter((files) => files.includes('serve_config.yaml'));
  return { figure: `${whole.length} of ${digits.length} have their own`, ok: whole.length === digits.length };
}
