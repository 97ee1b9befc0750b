import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { makeTaste } from '../reward-tiny/make-taste.ts';
import { trainTaste } from '../reward-tiny/train-taste.ts';
import { measurePolicy } from './measure-policy.ts';
import type { PolicyMeasure } from './measure-policy.ts';
import { runRlhf } from './run-rlhf.ts';
import type { RlhfRun } from './run-rlhf.ts';
import { startTalker } from './start-talker.ts';

const STEPS = 8;
/** Far enough to see that it goes the other way; with --full it has as many as the honest run. */
const MUTANT_STEPS = 3;
/** Of the start: a policy that stands still keeps all of it. */
const MUTANT_KEEPS = 0.5;
/** Nats a reply. Saying nothing but the wanted digit would be about 21. */
const BUDGET = 6;
/** What the honest run is told. The two measures were up to 0.7 nats apart, so it ends before what is asked of it. */
const TOLD_BUDGET = 5;
const SHORT_BUDGET = 1;
const STARTS_BELOW = 0.2;
/** The true reward has to rise by so much. */
const RISES_BY = 0.2;
/** The measure from outside is a mean over 64 replies, and so is the trainer's own. */
const SAMPLING_ERROR = 1;

const inverted = fileURLToPath(new URL('inverted-reward.ts', import.meta.url));
/** The coefficient slows the run little: of three seeds two are ended by the budget. */
const HELD = [
  '--tinker.kl_coefficient',
  '0.35',
  '--tinker.kl_budget',
  String(TOLD_BUDGET),
  '--tinker.reward_clip',
  '30',
];
/** Falls to nothing from the recipe's: near the budget a step must be smaller than what is left of it. */
const SCHEDULE = ['--tinker.lr_schedule', 'linear'];
const SHARED = ['--tinker.advantage', 'std_normalised'];

interface World {
  readonly engineUrl: string;
  readonly modelDirectory: string;
  readonly home: string;
  readonly startPath: string;
  readonly seed: number;
}

/** `pnpm e2e rlhf-tiny`: a reward model teaches a policy, and the distance from the start holds it. */
export const scenarios: Scenario[] = [
  {
    name: 'learns',
    title: 'the reward that nobody wrote down rises, and the policy stays within its KL budget',
    async run(context) {
      const startedAt = performance.now();
      const clock = (): string => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`;
      const engine = await startEnginePeer({ onProgress: ({ message }) => context.log(message) });
      context.defer(() => engine.stop());
      for (const seed of context.full ? [1, 2, 3] : [1]) {
        const name = context.full ? `seed ${seed}: ` : '';
        const home = join(await context.scratch(), 'home');
        await mkdir(home);
        const places = { engineUrl: engine.url, modelDirectory: engine.modelDirectory, home, seed };
        await makeTaste({ home, seed, sizes: { train: 128, heldOut: 16 } });
        const [startPath, reward] = await Promise.all([
          startTalker(places),
          trainTaste({ home, engineUrl: engine.url, run: 'taste', seed }),
        ]);
        const world = { ...places, startPath };
        const before = await measurePolicy({ ...world, weightsPath: startPath });
        context.log(
          `${clock()}: reward model with pair accuracy ${reward.metrics['eval/accuracy']}, talker with ${before.trueReward.toFixed(3)}`,
        );
        const grader = ['--reward-model', reward.model ?? 'taste'];

        const honest = await look(context, world, {
          ...{ run: 'honest', grader, steps: STEPS },
          flags: [...HELD, ...SCHEDULE],
        });
        reportLearning(context, name, { before, ...honest });

        // One after the other: two runs at once need more places than the engine has.
        const stopped = await look(context, world, {
          ...{ run: 'budget', grader, steps: STEPS },
          flags: ['--tinker.kl_budget', String(SHORT_BUDGET)],
        });
        reportBudget(context, name, stopped);

        if (seed === 1) {
          const upsideDown = await look(context, world, {
            ...{
              run: 'inverted',
              grader: ['--reward', inverted],
              steps: context.full ? STEPS : MUTANT_STEPS,
              flags: HELD,
            },
          });
          context.report({
            name: 'mutant with a reward of the wrong sign',
            figure: `true reward ${before.trueReward.toFixed(3)} to ${upsideDown.after.trueReward.toFixed(3)} in ${upsideDown.run.steps.length} steps`,
            bar: `caught: goes the other way, to ≤ ${MUTANT_KEEPS} of its start`,
            ok: upsideDown.after.trueReward <= before.trueReward * MUTANT_KEEPS,
          });
        }
        if (context.full) {
          const free = await look(context, world, { run: 'free', grader, steps: STEPS + 4, flags: [] });
          context.report({
            name: `${name}mutant that nothing holds`,
            figure: `${free.after.kl.toFixed(2)} nats away`,
            bar: `caught: > ${BUDGET}`,
            ok: free.after.kl > BUDGET,
          });
        }
      }
    },
  },
];

interface Looked {
  readonly run: RlhfRun;
  readonly after: PolicyMeasure;
}

/** One run, and a look at the weights it ended with. */
async function look(
  context: ScenarioContext,
  world: World,
  plan: { run: string; grader: readonly string[]; steps: number; flags: readonly string[] },
): Promise<Looked> {
  const run = await runRlhf({ ...world, ...plan, flags: [...SHARED, ...plan.flags] });
  const numbers = run.steps.map(
    (step) => `${(step['reward/mean'] ?? Number.NaN).toFixed(2)} at ${(step['rlhf/kl'] ?? Number.NaN).toFixed(2)} nats`,
  );
  context.log(`${plan.run}: ${run.status.detail} (${run.seconds.toFixed(0)} s; ${numbers.join(', ')})`);
  const weightsPath = run.status.weights_path ?? world.startPath;
  return { run, after: await measurePolicy({ ...world, weightsPath }) };
}

function reportLearning(
  context: ScenarioContext,
  name: string,
  { before, after, run }: Looked & { before: PolicyMeasure },
): void {
  const [first, last] = [run.steps[0], run.steps.at(-1)].map((step) => step?.['rlhf/reward_model'] ?? Number.NaN);
  context.report({
    name: `${name}true reward`,
    figure:
      `${before.trueReward.toFixed(3)} to ${after.trueReward.toFixed(3)} on prompts that were not trained on ` +
      `(the reward model's own: ${first?.toFixed(2)} to ${last?.toFixed(2)})`,
    bar: `≤ ${STARTS_BELOW}, then ≥ ${RISES_BY} more`,
    ok: before.trueReward <= STARTS_BELOW && after.trueReward >= before.trueReward + RISES_BY && last! > first!,
  });
  const most = Math.max(...run.steps.map((step) => step['rlhf/kl'] ?? Number.NaN));
  context.report({
    name: `${name}distance from the start`,
    figure: `${after.kl.toFixed(2)} nats a reply, measured from outside; at most ${most.toFixed(2)} by the trainer, of a budget of ${TOLD_BUDGET}`,
    bar: `≤ ${BUDGET}, ≤ ${TOLD_BUDGET}`,
    ok: after.kl <= BUDGET && most <= TOLD_BUDGET,
  });
}

function reportBudget(context: ScenarioContext, name: string, { run, after }: Looked): void {
  const { status, model } = run;
  context.report({
    name: `${name}budget of ${SHORT_BUDGET}`,
    figure: `${status.state} by ${status.ended_by} after step ${status.step} of ${STEPS}; ${model} is ${after.kl.toFixed(2)} nats away`,
    bar: `ended by kl-budget, says so, and serves weights ≤ ${SHORT_BUDGET + SAMPLING_ERROR}`,
    ok:
      status.ended_by === 'kl-budget' &&
      status.step < STEPS &&
      status.detail.includes('KL budget') &&
      model !== null &&
      after.kl <= SHORT_BUDGET + SAMPLING_ERROR,
  });
}
