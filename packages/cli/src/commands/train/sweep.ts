import { describeNames, isName } from '@lachesis/protocol/names';
import { lastStepOf } from '@lachesis/protocol';
import { findOwnProgram } from '@lachesis/server';
import { startEngine } from '@lachesis/tinker/engine';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { failWithEngineError, readMakeOptions } from '../../flags/engine.ts';
import { findControl } from '../../flags/library/find-control.ts';
import { readRecipe } from '../../flags/read-recipe.ts';
import { toSeries } from '../../runs/run-view.ts';
import { combineGrid, planRungs, type SweepPlan } from '../sweeps/plan-sweep.ts';
import { readSweepFlags, type SweepFlags } from '../sweeps/read-sweep-flags.ts';
import { runSweep, type RunOrder } from '../sweeps/run-sweep.ts';
import { showSweep } from '../sweeps/show-sweep.ts';
import { summariseSweep } from '../sweeps/summarise-sweep.ts';
import { appendSweepLine, readSweepLines, readSweepPlan, writeSweepPlan } from '../sweeps/sweep-files.ts';
import { fail } from '../../terminal/fail.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { findNamedRecipe } from './recipe-file.ts';

/** Several runs of one recipe, with other seeds and other settings, and one table of what they came to. */
export async function trainSweep(options: {
  home: string;
  args: { config?: string | undefined; json?: boolean | undefined };
  rawArgs: readonly string[];
  startsEngine: boolean;
}): Promise<void> {
  const { home, args, rawArgs } = options;
  const flags = readSweepFlags(rawArgs);
  const plan = await openPlan({ home, config: args.config, flags });
  if (options.startsEngine) await startEngine({ ...readMakeOptions({ home }) }).catch(failWithEngineError);
  const { signal, hurry } = listenForShutdown();
  const say = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
  const count = plan.points.length * plan.seeds.length;
  say(
    `sweep ${plan.sweep}: ${plan.points.length} settings × ${plan.seeds.length} seeds = ${count} runs, ${plan.parallel} at once, ` +
      `judged by ${plan.metric} at step ${plan.rungs.join(', ')}`,
  );
  await runSweep({
    ...{ plan, resumesRuns: flags.resumesRuns, signal },
    world: {
      readLines: () => readSweepLines(home, plan.sweep),
      append: (line) => appendSweepLine(home, plan.sweep, line),
      train: (order) => trainOne({ plan, home, order, signal, hurry, say }),
      readValue: (run, steps) => readValue({ home, run, steps, metric: plan.metric }),
      say,
    },
  });
  const lines = await readSweepLines(home, plan.sweep);
  await showSweep({ home, plan, lines, json: args.json === true });
  if (flags.html !== undefined) await writeHtml({ home, plan, file: flags.html });
  if (!summariseSweep(plan, lines).isOver) {
    say(`go on: lachesis train --sweep ${plan.sweep}`);
    process.exitCode = 1;
  }
}

/** A new plan, or the one of that name; then nothing but the name has to be given. */
async function openPlan(options: { home: string; config: string | undefined; flags: SweepFlags }): Promise<SweepPlan> {
  const { home, config, flags } = options;
  const sweep =
    flags.name ?? `sweep-${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}`;
  if (!isName('run', sweep))
    return fail(`${JSON.stringify(sweep)} is not a valid name for a sweep: ${describeNames('run')}.`);
  const known = await readSweepPlan(home, sweep);
  const isNameAlone = Object.keys(flags.grid).length === 0 && flags.rest.length === 0;
  if (known !== undefined && isNameAlone) return known;
  if (known === undefined && isNameAlone && flags.name !== undefined)
    return fail(`there is no sweep ${sweep} yet. Say what it varies: --grid tinker.learning_rate=1e-4,3e-4 --seeds 3.`);
  const points = combineGrid(flags.grid);
  // With the settings of the first run: a name that is wrong in the grid is told before anything else.
  const first = Object.entries(points[0]?.settings ?? {}).flatMap(([name, value]) => [`--${name}`, value]);
  const { recipe } = await readRecipe({
    config: config === undefined ? undefined : findNamedRecipe({ given: config, home }),
    rawArgs: [...flags.rest, ...first],
    env: process.env,
  });
  if (/(^|\/)eval\//.test(flags.metric) && recipe.env.steps_per_eval === 0)
    return fail(`runs are judged by ${flags.metric}, and the recipe never evaluates. Add --env.steps_per_eval 10.`);
  const plan: SweepPlan = {
    ...{ sweep, created_at: Date.now(), folder: process.cwd(), arguments: flags.rest, metric: flags.metric },
    ...{ seeds: flags.seeds, points, parallel: flags.parallel },
    rungs: planRungs({ points: points.length, steps: lastStepOf(recipe), isHalving: flags.isHalving }),
  };
  if (known === undefined) {
    await writeSweepPlan(home, plan);
    return plan;
  }
  const { created_at: createdAt, parallel: _before, ...before } = known;
  const { created_at: _createdAt, parallel, ...asked } = plan;
  if (JSON.stringify(asked) !== JSON.stringify(before))
    return fail(
      `there is a sweep ${sweep} already, with other settings. Go on with it: lachesis train --sweep ${sweep}`,
    );
  return { ...plan, created_at: createdAt, parallel };
}

/** `lachesis train` as a process of its own, which ends with this one. */
async function trainOne(options: {
  plan: SweepPlan;
  home: string;
  order: RunOrder;
  signal: AbortSignal;
  hurry: AbortSignal;
  say: (sentence: string) => void;
}): Promise<boolean> {
  const { plan, home, order, signal, hurry, say } = options;
  const program = findOwnProgram() ?? fail('this program does not know its own path.');
  const settings = { ...order.settings, 'env.seed': String(order.seed), 'tinker.seed': String(order.seed) };
  const child = spawn(
    program.file,
    [
      ...[...program.arguments, 'train', ...plan.arguments],
      ...['--run', order.run, '--home', home, '--any-port', '--tinker.sweep', plan.sweep],
      ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
      ...(order.steps === undefined ? [] : ['--tinker.max_steps', String(order.steps)]),
    ],
    { cwd: plan.folder, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  );
  const last: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      last.push(line);
      if (last.length > LINES_KEPT) last.shift();
      if (line.startsWith('eval ')) say(`${order.run}: ${line}`);
    });
  }
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  hurry.addEventListener('abort', stop, { once: true });
  const [code] = (await once(child, 'close')) as [number | null];
  signal.removeEventListener('abort', stop);
  hurry.removeEventListener('abort', stop);
  if (code === 0) return true;
  if (signal.aborted) return false;
  throw new Error(last.slice(-3).join(' | ') || `ended with code ${code}`);
}

const LINES_KEPT = 20;
const MOST_POINTS = 5_000;

async function readValue(options: {
  home: string;
  run: string;
  steps: number;
  metric: string;
}): Promise<number | undefined> {
  const { home, run, steps, metric } = options;
  await using place = await findControl({ home });
  const { history } = await place.client.readMetrics(run, { series: metric, limit: MOST_POINTS });
  return (toSeries(history)[metric] ?? []).findLast(({ step }) => step <= steps)?.value;
}

async function writeHtml({ home, plan, file }: { home: string; plan: SweepPlan; file: string }): Promise<void> {
  const { drawSweepPage } = await import('../sweeps/show-sweep.ts');
  const page = await drawSweepPage({ home, plan, lines: await readSweepLines(home, plan.sweep) });
  if (page === undefined) return;
  await writeFile(file, page);
  process.stderr.write(`to look at: ${resolve(file)}\n`);
}
