import { readProcessTree } from '../../kit/read-process-tree.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { installPackages } from '../first-run/install-packages.ts';
import { judgeSteps } from '../grpo-tiny/judge-steps.ts';
import { readOptimizerSteps, readStepRows } from '../grpo-tiny/read-step-rows.ts';
import { bootstrapGain } from './bootstrap-gain.ts';
import { FAULT_NAMES } from './faults.ts';
import type { FaultName } from './faults.ts';
import {
  ABOVE_CHANCE,
  isOnPolicy,
  judgeMutant,
  longestUnlearning,
  meanOf,
  MOST_DRIFT,
  MOST_RATIO,
  show,
  showGain,
  startsLow,
  WANTED,
} from './judge-run.ts';
import type { RunFacts } from './judge-run.ts';
import { runTask, SETTINGS } from './run-task.ts';
import type { TaskRun, World } from './run-task.ts';
import { measureSupervised, startWorld } from './start-world.ts';
import type { StartedWorld } from './start-world.ts';
import { countToWanted, firstReward, hasLearnt, hasUnlearnt, isNearlyGone, lastMean } from './stop-rules.ts';
import type { TaskName } from './tasks.ts';

/** An honest run that has not learnt by then is measured as it is. */
export const MOST_STEPS = 60;

/** One task with its mutants, each beside its bar. */
export async function showTask(context: ScenarioContext, name: TaskName, seed: number): Promise<void> {
  const startedAt = performance.now();
  // Beside the engine, which takes as long to come up.
  const machine = installPackages(context, await context.scratch());
  const started = await startWorld(context, { name, seed, machine });
  const { world, start } = started;
  const { task } = world;
  const chance = 1 / task.answers.length;
  context.log(
    `${name} (${task.what}), seed ${seed}: ${task.train.length} combinations to train on, ${task.heldOut.length} held out`,
  );

  const run = await runTask(world, { steps: MOST_STEPS, until: hasLearnt });
  const honest = toFacts(run);
  const gain = bootstrapGain({ before: start, after: honest.after, seed });
  const supervised = await measureSupervised(world, honest.steps);
  context.report({
    name: `${name}: reward on held-out combinations`,
    figure: `${show(start)} after the warm-up, ${show(honest.after)} after ${honest.steps} steps of GRPO (seed ${seed}; chance ${chance.toFixed(2)}, best constant answer ${task.constant.toFixed(2)}; supervised on as many right examples ${show(supervised)})`,
    bar: `≤ chance + ${ABOVE_CHANCE} to ≥ ${WANTED}`,
    ok: startsLow(start, chance) && meanOf(honest.after) >= WANTED,
  });
  context.report({ name: `${name}: gain with its interval`, figure: showGain(gain), bar: 'above 0', ok: gain.low > 0 });
  context.report({
    name: `${name}: largest ratio of learner to sampler in the first step, and their drift`,
    figure: `${honest.firstRatio.toFixed(4)}, ${honest.firstDrift.toFixed(4)}`,
    bar: `≤ ${MOST_RATIO}, ≤ ${MOST_DRIFT}`,
    ok: isOnPolicy(honest),
  });
  reportBooks(context, run, started);
  context.log(`${describeTime(startedAt)}, honest run ${run.run.seconds.toFixed(0)} s`);

  const rivalSteps = context.full ? honest.steps : countToWanted(run.run.steps, WANTED);
  const rival = { steps: rivalSteps, trained: trainedGain(run.run.steps.slice(0, rivalSteps)) };
  for (const fault of FAULT_NAMES) {
    const mutant = await runTask(world, { ...MUTANT_ENDS[fault]({ honest, rival, isFull: context.full }), fault });
    context.report({
      name: `${name}: mutant ${fault}`,
      ...judgeMutant(fault, { start, chance, honest, rival, mutant: toFacts(mutant), seed }),
    });
  }
  context.log(
    `${describeTime(startedAt)} in all, ${readProcessTree(started.pid).cpuSeconds.toFixed(0)} s of CPU in the engine`,
  );
}

/**
 * A fault that shows by what it does ends when it has. One that shows by what it does not do has the steps by which the honest run
 * earned in training what is asked for held out, and with --full all of them.
 */
const MUTANT_ENDS: Readonly<
  Record<
    FaultName,
    (known: {
      honest: RunFacts;
      rival: { steps: number };
      isFull: boolean;
    }) => Omit<Parameters<typeof runTask>[1], 'fault'>
  >
> = {
  'prompt-blind': ({ honest, isFull }) => ({ steps: isFull ? honest.steps : 1 }),
  'shuffled-rewards': ({ rival }) => ({ steps: rival.steps }),
  'wrong-sign': ({ honest, isFull }) => ({
    steps: longestUnlearning(honest.steps),
    until: isFull ? isNearlyGone : hasUnlearnt,
  }),
};

export const toFacts = ({ run, after }: TaskRun): RunFacts => ({
  ...{ steps: run.status.step, after, trained: trainedGain(run.steps) },
  firstRatio: run.steps[0]?.['numerics/ratio_max'] ?? Number.NaN,
  firstDrift: run.steps[0]?.['numerics/drift'] ?? Number.NaN,
});

const trainedGain = (steps: TaskRun['run']['steps']): number => lastMean(steps) - firstReward(steps);

/** The trainer's ledger beside the engine's own table of optimiser steps. */
function reportBooks(context: ScenarioContext, { run }: TaskRun, { engineDirectory, world }: StartedWorld): void {
  const judged = judgeBooks(world, run.ledger.run_id, engineDirectory);
  const faults = judged.lost + judged.surplus + judged.missing + judged.overfull + judged.batchesTwice.length;
  context.report({
    name: `${world.task.name}: steps in the ledger and in the engine`,
    figure: `${judged.done} done, ${judged.lost} lost, ${judged.surplus} more in the engine, ${judged.missing} missing there, ${judged.batchesTwice.length + judged.overfull} twice`,
    bar: `${run.status.step} done at least, 0 lost, 0 more, 0 missing, 0 twice`,
    // A step may have been under way when the run was ended.
    ok: judged.done >= run.status.step && faults === 0,
  });
}

const judgeBooks = ({ home, task }: World, runId: string, engineDirectory: string): ReturnType<typeof judgeSteps> =>
  judgeSteps({
    steps: readStepRows({ home, runId }),
    optimizerSteps: readOptimizerSteps(engineDirectory),
    batchSize: SETTINGS[task.name].groups * SETTINGS[task.name].groupSize,
  });

const describeTime = (since: number): string => `${((performance.now() - since) / 1000).toFixed(0)} s`;
