import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
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
/** Some seeds of what is harder to tell from a prompt still rise where the short form has to end. */
const LONGER = 90;
const STEPS: Readonly<Record<TaskName, number>> = {
  ...{ copy: MOST_STEPS, lookup: MOST_STEPS },
  ...{ majority: LONGER, larger: LONGER, tool: LONGER },
};

const kept = fileURLToPath(new URL('../../../docs/evidence-seeds.jsonl', import.meta.url));

/** What a seed is a result of; a page or a bar that changes makes it no other. */
const CODE = [
  ...['protocol', 'store', 'tinker', 'sdk', 'server'].map((name) => `HEAD:packages/${name}/src`),
  ...['environments', 'describe-task.ts', 'list-conversations.ts', 'make-brief-model.ts', 'measure-held-out.ts'].map(
    (name) => `HEAD:test/e2e/learns/${name}`,
  ),
  ...['run-task.ts', 'start-world.ts', 'stop-rules.ts', 'tasks.ts'].map((name) => `HEAD:test/e2e/learns/${name}`),
  ...['open-loop.ts', 'run-grpo.ts', 'warm-up.ts'].map((name) => `HEAD:test/e2e/grpo-tiny/${name}`),
];

interface SeedResult {
  readonly end: number;
  readonly steps: number;
  readonly line: string;
  readonly passed: boolean;
}

interface KeptSeed extends SeedResult {
  readonly task: TaskName;
  readonly seed: number;
  /** That it could have taken; one that learnt before them would have done so with more. */
  readonly mostSteps: number;
  /** Of what was run: {@link CODE}. */
  readonly code: string;
  readonly commit: string;
  readonly date: string;
}

/** The long form: a task over twenty seeds, bad ones printed. It goes on where one of the same code was stopped. */
export async function showSeeds(context: ScenarioContext, name: TaskName): Promise<void> {
  const results: (SeedResult | undefined)[] = [];
  const left = SEEDS.entries();
  const machine = installPackages(context, await context.scratch());
  const countBad = (): number => results.filter((result) => result?.passed === false).length;
  const runLane = async (): Promise<void> => {
    for (const [index, seed] of left) {
      // Hours are not spent on a task that is short already.
      if (countBad() > SEEDS.length - MUST_PASS) return;
      const result = await keepResult(name, seed, () => runSeed(context, { name, seed, machine }));
      context.log(`${name}: ${result.line}${result.passed ? '' : ', BAD'}`);
      results[index] = result;
    }
  };
  await Promise.all(Array.from({ length: SEEDS_AT_ONCE }, runLane));
  const made = results.filter((result) => result !== undefined);
  const ends = made.map(({ end }) => end);
  const bad = made.filter(({ passed }) => !passed).map(({ line }) => line);
  const passed = made.length - bad.length;
  const rest = SEEDS.length - made.length;
  context.report({
    name: `${name}: seeds that pass`,
    figure: `${passed} of ${made.length}${rest === 0 ? '' : ` (${rest} not run, ${bad.length} bad are too many)`}, held out ${Math.min(...ends).toFixed(2)} to ${Math.max(...ends).toFixed(2)} in at most ${Math.max(...made.map(({ steps }) => steps))} steps${bad.length === 0 ? '' : `; bad: ${bad.join('; ')}`}`,
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
  const run = await runTask(world, { steps: STEPS[options.name], until: hasLearnt });
  await stop();
  const facts = toFacts(run);
  const { after, steps } = facts;
  const gain = bootstrapGain({ before: start, after, seed });
  return {
    ...{ end: meanOf(after), steps },
    line: `seed ${seed} ${show(start)} to ${show(after)} in ${steps} steps, gain ${showGain(gain)}`,
    passed:
      startsLow(start, 1 / world.task.answers.length) &&
      meanOf(after) >= WANTED &&
      gain.low > 0 &&
      isOnPolicy(facts) &&
      run.run.status.lost_steps === 0,
  };
}

/**
 * A seed takes minutes, and a hundred of them are not run in one go: each has a line in the repository as soon as it is there, and
 * is not run again on the same code. What a commit changed elsewhere does not make them other results.
 */
async function keepResult(task: TaskName, seed: number, run: () => Promise<SeedResult>): Promise<SeedResult> {
  const read = (...names: string[]): string[] =>
    execFileSync('git', ['rev-parse', ...names], { encoding: 'utf8' })
      .trim()
      .split('\n');
  const code = createHash('sha256')
    .update(read(...CODE).join())
    .digest('hex')
    .slice(0, 16);
  const mostSteps = STEPS[task];
  const known = existsSync(kept) ? readFileSync(kept, 'utf8').trim().split('\n') : [];
  const found = known
    .map((line) => JSON.parse(line) as KeptSeed)
    .find(
      (line) =>
        line.task === task &&
        line.seed === seed &&
        line.code === code &&
        (line.mostSteps === mostSteps || line.steps < Math.min(line.mostSteps, mostSteps)),
    );
  if (found !== undefined) return found;
  const result = await run();
  const [commit = ''] = read('HEAD');
  const line: KeptSeed = { task, seed, ...result, mostSteps, code, commit, date: new Date().toISOString() };
  appendFileSync(kept, `${JSON.stringify(line)}\n`);
  return result;
}
