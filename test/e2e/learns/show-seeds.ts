import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import type { ScenarioContext } from '../../scenarios/scenario.ts';
import type { FreshMachine } from '../first-run/fresh-machine.ts';
import { installPackages } from '../first-run/install-packages.ts';
import { bootstrapGain } from './bootstrap-gain.ts';
import { isOnPolicy, meanOf, show, showGain, startsLow, WANTED } from './judge-run.ts';
import { runTask } from './run-task.ts';
import { MOST_STEPS, toFacts } from './show-task.ts';
import { startWorld } from './start-world.ts';
import { hasLearnt } from './stop-rules.ts';
import type { TaskName } from './tasks.ts';

/** Nobody chose them. */
const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);
const MUST_PASS = 18;
/** Each has its own engine, home and processes. */
const SEEDS_AT_ONCE = 2;

const kept = new URL('../../../.ci/logs/learns/seeds/', import.meta.url);

/** What a seed is a result of; from the root of the repository. */
const CODE = ['HEAD:packages', 'HEAD:test/e2e/learns', 'HEAD:test/e2e/grpo-tiny'];

interface SeedResult {
  readonly end: number;
  readonly line: string;
  readonly passed: boolean;
}

/** The long form: a task over twenty seeds, bad ones printed. It goes on where one of the same code was stopped. */
export async function showSeeds(context: ScenarioContext, name: TaskName): Promise<void> {
  const results: SeedResult[] = [];
  const left = SEEDS.entries();
  const machine = installPackages(context, await context.scratch());
  const runLane = async (): Promise<void> => {
    for (const [index, seed] of left) {
      const result = await keepResult(`${name}-${seed}`, () => runSeed(context, { name, seed, machine }));
      context.log(`${name}: ${result.line}${result.passed ? '' : ', BAD'}`);
      results[index] = result;
    }
  };
  await Promise.all(Array.from({ length: SEEDS_AT_ONCE }, runLane));
  const ends = results.map(({ end }) => end);
  const bad = results.filter(({ passed }) => !passed).map(({ line }) => line);
  const passed = SEEDS.length - bad.length;
  context.report({
    name: `${name}: seeds that pass`,
    figure: `${passed} of ${SEEDS.length}, held out ${Math.min(...ends).toFixed(2)} to ${Math.max(...ends).toFixed(2)}${bad.length === 0 ? '' : `; bad: ${bad.join('; ')}`}`,
    bar: `≥ ${MUST_PASS} of ${SEEDS.length}`,
    ok: passed >= MUST_PASS,
  });
}

async function runSeed(
  context: ScenarioContext,
  options: { name: TaskName; seed: number; machine: Promise<FreshMachine> },
): Promise<SeedResult> {
  const { seed } = options;
  // An engine keeps every request it was sent; a new one for each seed stays quick.
  const { world, start, stop } = await startWorld(context, options);
  const run = await runTask(world, { steps: MOST_STEPS, until: hasLearnt });
  await stop();
  const facts = toFacts(run);
  const { after, steps } = facts;
  const gain = bootstrapGain({ before: start, after, seed });
  return {
    end: meanOf(after),
    line: `seed ${seed} ${show(start)} to ${show(after)} in ${steps} steps, gain ${showGain(gain)}`,
    passed:
      startsLow(start, 1 / world.task.answers.length) &&
      meanOf(after) >= WANTED &&
      gain.low > 0 &&
      isOnPolicy(facts) &&
      run.run.status.lost_steps === 0,
  };
}

/** A seed takes minutes, and a hundred of them are not run in one go. What a commit changed elsewhere does not make them other results. */
async function keepResult(name: string, run: () => Promise<SeedResult>): Promise<SeedResult> {
  const trees = execFileSync('git', ['rev-parse', ...CODE], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const folder = new URL(`${trees.map((tree) => tree.slice(0, 8)).join('-')}/`, kept);
  const file = fileURLToPath(new URL(`${name}.json`, folder));
  if (existsSync(file)) return JSON.parse(await readFile(file, 'utf8')) as SeedResult;
  const result = await run();
  await mkdir(folder, { recursive: true });
  await writeFile(file, JSON.stringify(result));
  return result;
}
