import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { readProcessTree } from '../../kit/read-process-tree.ts';
import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import type { FreshMachine } from '../first-run/fresh-machine.ts';
import { installPackages } from '../first-run/install-packages.ts';
import { runGrpo } from '../grpo-tiny/run-grpo.ts';
import type { GrpoRun, RunGrpoOptions } from '../grpo-tiny/run-grpo.ts';
import { warmUp } from '../grpo-tiny/warm-up.ts';
import { mean } from '../learns/bootstrap-gain.ts';
import { REPLY_TOKENS } from '../learns/describe-task.ts';
import { listConversations } from '../learns/list-conversations.ts';
import { makeBriefModel } from '../learns/make-brief-model.ts';
import { measureHeldOut } from '../learns/measure-held-out.ts';
import { openPlace } from '../learns/open-place.ts';
import type { TaskPlace } from '../learns/open-place.ts';
import { makeTask } from '../learns/tasks.ts';
import type { Task } from '../learns/tasks.ts';
import { countToHalf, first, last } from './count-to-half.ts';
import { FAULT_NAMES, FAULT_VARIABLE } from './faults.ts';
import type { FaultName } from './faults.ts';

/** A student that is not near its teacher by then is measured as it is. */
const MOST_STEPS = 50;
/** Over seeds: one in ten is on its way by then, and not there. */
const MOST_STEPS_OF_SEEDS = 90;
const GROUPS = 32;
const GROUP_SIZE = 4;
const LEARNING_RATE = 3e-3;
/** What the form of a reply is learnt with, right or wrong, and then the teacher's right answers. */
const WARM_UP = { steps: 30, examplesPerStep: 32 };
const TEACHER = { steps: 40, examplesPerStep: 32, learningRate: 2e-3 };
/** Of what the teacher earns. */
const WANTED_SHARE = 0.9;
const ABOVE_CHANCE = 0.15;
/** Nats a token from the teacher: of forty digits one is another. */
const NEAR = 0.1;
/** Of the divergence at the start, and of what the honest run took from it in as many steps. */
const RISE = 0.5;
const FLAT = 0.25;
/** Nobody chose it: it is of the commit at which this form first passed. It goes by the commit when nine of ten do. */
const SEED = 3455;
/** Of the long form. */
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const MUST_PASS = 9;
const PATIENCE_MS = 600_000;

const ENVIRONMENT = 'distill/unrewarded.ts';
const outputs = fileURLToPath(new URL('../../../.ci/logs/distill/', import.meta.url));
const seedFault = new URL('seed-fault.ts', import.meta.url).href;

/** `pnpm e2e distill`: a student learns from what its teacher says about its own replies, and from nothing else. */
export const scenarios: Scenario[] = [
  {
    name: 'student',
    title:
      'without any reward a student reaches ≥ 0.9 of what its teacher earns on held-out prompts; two seeded faults are caught',
    async run(context) {
      if (context.full) await showSeeds(context);
      else await showStudent(context, SEED);
    },
  },
];

interface World extends TaskPlace {
  readonly context: ScenarioContext;
  readonly engineUrl: string;
  readonly modelDirectory: string;
  readonly seed: number;
  readonly task: Task;
  /** States to begin with, and to be taught by. */
  readonly student: string;
  readonly teacher: string;
  /** What both earn on held-out prompts before the run. */
  readonly start: number;
  readonly goal: number;
  readonly enginePid: number;
  stopEngine(): Promise<void>;
}

async function showStudent(context: ScenarioContext, seed: number): Promise<void> {
  const world = await prepare(context, { seed, machine: installPackages(context, await context.scratch()) });
  const { start, goal, task } = world;
  const chance = 1 / task.answers.length;
  const honest = await distil(world, {
    ...{ name: `student-${seed}`, steps: MOST_STEPS, until: isNear },
    kills: [{ afterStep: 2, station: 'trainer' }],
  });
  const { run } = honest;
  context.report({
    name: `reward on held-out prompts, seed ${seed}`,
    figure: `student ${start.toFixed(2)} to ${honest.end.toFixed(2)} in ${run.status.step} steps of ${GROUPS * GROUP_SIZE} samples, teacher ${goal.toFixed(2)} (chance ${chance.toFixed(2)})`,
    bar: `from ≤ chance + ${ABOVE_CHANCE} to ≥ ${WANTED_SHARE} of the teacher`,
    ok: hasLearnt(world, honest.end),
  });
  const rewards = run.steps.map((step) => step['reward/mean'] ?? Number.NaN);
  context.report({
    name: 'rewards of training, and groups that were left out',
    figure: `${Math.max(...rewards.map(Math.abs))}, ${run.steps.reduce((sum, step) => sum + (step['train/dead_groups'] ?? 0), 0)}`,
    bar: '0, 0',
    ok: rewards.every((reward) => reward === 0) && run.steps.every((step) => (step['train/dead_groups'] ?? 0) === 0),
  });
  const distances = listDistances(run);
  context.report({
    name: 'distill/kl, first and last batches',
    figure: `${first(distances).toFixed(3)} to ${last(distances).toFixed(3)}`,
    bar: 'at most half',
    ok: last(distances) <= first(distances) / 2,
  });
  context.report({
    name: 'steps, with the trainer killed after the second',
    figure: `${run.status.step}, ${run.status.lost_steps} lost, ${run.origins.join(', ')}, ${run.seconds.toFixed(0)} s`,
    bar: '0 lost, and the trainer found its weights again',
    ok: run.status.step > 2 && run.status.lost_steps === 0 && run.origins.length === 1,
  });
  // One that shows by what it does not do has the steps by which the honest run had half of its fall; one that shows by what it
  // does has all of them, and ends when it has.
  const halfway = countToHalf(distances);
  const fall = first(distances) - last(distances.slice(0, halfway));
  const ends = {
    shifted: { steps: halfway },
    'wrong-sign': { steps: run.status.step, until: hasRisen },
  } as const;
  for (const fault of FAULT_NAMES) {
    const mutant = await distil(world, { name: `${fault}-${seed}`, ...ends[fault], fault });
    const moved = listDistances(mutant.run);
    const isCaught =
      fault === 'wrong-sign'
        ? hasRisen(mutant.run.steps)
        : mutant.run.status.step === halfway && Math.abs(last(moved) - first(moved)) <= FLAT * fall;
    context.report({
      name: `mutant ${fault}`,
      figure: `distill/kl ${first(moved).toFixed(3)} to ${last(moved).toFixed(3)}, held out ${start.toFixed(2)} to ${mutant.end.toFixed(2)} in ${mutant.run.status.step} steps`,
      bar: `caught: ${fault === 'wrong-sign' ? `it rises by ≥ ${RISE} of itself within ${run.status.step} steps` : `it moves by ≤ ${FLAT} of the ${fall.toFixed(2)} that the honest run fell in as many steps`}, and < ${WANTED_SHARE} of the teacher`,
      ok: isCaught && mutant.end < WANTED_SHARE * goal,
    });
  }
  context.log(`${readProcessTree(world.enginePid).cpuSeconds.toFixed(0)} s of CPU in the engine`);
}

/** From no more than a guess to what its teacher earns, who has to know more than that, too. */
function hasLearnt({ start, goal, task }: World, end: number): boolean {
  const guess = 1 / task.answers.length + ABOVE_CHANCE;
  return start <= guess && goal > guess && end >= WANTED_SHARE * goal;
}

const listDistances = ({ steps }: Pick<GrpoRun, 'steps'>): number[] =>
  steps.map((step) => step['distill/kl'] ?? Number.NaN);

/** What the teacher says ends a run; what is held out is looked at once, when it is over. */
const isNear = (steps: GrpoRun['steps']): boolean => last(listDistances({ steps })) <= NEAR;

function hasRisen(steps: GrpoRun['steps']): boolean {
  const distances = listDistances({ steps });
  return last(distances) >= (1 + RISE) * first(distances);
}

async function showSeeds(context: ScenarioContext): Promise<void> {
  const bad: string[] = [];
  const shares: number[] = [];
  const machine = installPackages(context, await context.scratch());
  for (const seed of SEEDS) {
    const world = await prepare(context, { seed, machine });
    const { end } = await distil(world, { name: `student-${seed}`, steps: MOST_STEPS_OF_SEEDS, until: isNear });
    // An idle one looks for work ten times a second, a seventh of a core each.
    await world.stopEngine();
    shares.push(end / world.goal);
    const line = `seed ${seed} ${world.start.toFixed(2)} to ${end.toFixed(2)} of ${world.goal.toFixed(2)}`;
    context.log(line);
    if (!hasLearnt(world, end)) bad.push(line);
  }
  context.report({
    name: 'seeds that pass',
    figure: `${SEEDS.length - bad.length} of ${SEEDS.length}, ${Math.min(...shares).toFixed(2)} to ${Math.max(...shares).toFixed(2)} of the teacher${bad.length === 0 ? '' : `; bad: ${bad.join('; ')}`}`,
    bar: `≥ ${MUST_PASS} of ${SEEDS.length}`,
    ok: SEEDS.length - bad.length >= MUST_PASS,
  });
}

/** An engine, a student that knows the form of a reply, and a teacher that knows which one is right. */
async function prepare(
  context: ScenarioContext,
  { seed, machine: installing }: { seed: number; machine: Promise<FreshMachine> },
): Promise<World> {
  const modelDirectory = join(await context.scratch(), 'tiny-brief');
  await makeBriefModel(modelDirectory);
  const starting = startEnginePeer({
    model: { directory: modelDirectory },
    limits: { trainMicroBatch: 32, sampleSequences: 64, adapters: 8, rank: 8 },
    onProgress: ({ message }) => context.log(message),
  });
  context.defer(async () => (await starting).stop());
  const [engine, machine] = await Promise.all([starting, installing]);
  const task = makeTask('copy', seed);
  const shared = { engineUrl: engine.url, modelDirectory, seed };
  const startedAt = performance.now();
  const warm = await warmUp({
    ...{ ...shared, examplesPerStep: WARM_UP.examplesPerStep },
    conversations: listConversations({ task, ...WARM_UP, seed, answers: 'random' }),
  });
  const taught = await warmUp({
    ...{ ...shared, initialState: warm.statePath, ...TEACHER },
    conversations: listConversations({ task, ...TEACHER, seed, answers: 'right' }),
  });
  const [start, goal] = await Promise.all(
    [warm, taught].map(async ({ samplerPath: weightsPath }) =>
      meanOf(await measureHeldOut({ ...shared, task, weightsPath })),
    ),
  );
  context.log(`student and teacher are there after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  return {
    ...(await openPlace(machine, `student-${seed}`)),
    ...{ ...shared, context, task, student: warm.statePath, teacher: taught.statePath },
    ...{ start: start ?? Number.NaN, goal: goal ?? Number.NaN },
    ...{ enginePid: engine.pid, stopEngine: () => engine.stop() },
  };
}

async function distil(
  world: World,
  options: Pick<RunGrpoOptions, 'kills' | 'until'> & { name: string; steps: number; fault?: FaultName },
): Promise<{ run: GrpoRun; end: number }> {
  const { context, task, seed } = world;
  const { name, steps, fault, kills, until } = options;
  const run = await runGrpo({
    ...{ engineUrl: world.engineUrl, place: world.place, home: world.home, run: name, environment: ENVIRONMENT },
    sharedFlags: [
      ...['--env.total_steps', String(steps), '--env.group_size', String(GROUP_SIZE)],
      ...['--env.batch_size', String(GROUPS * GROUP_SIZE), '--env.max_num_workers', String(GROUPS)],
      ...['--env.max_batches_offpolicy', '0'],
    ],
    trainerFlags: [
      ...['--tinker.initial_state', world.student, '--tinker.teacher.model', world.teacher],
      ...['--tinker.learning_rate', String(LEARNING_RATE), '--tinker.seed', String(seed)],
      ...['--tinker.save_checkpoint_interval', '0'],
    ],
    environmentFlags: ['--env.seed', String(seed)],
    ...(fault === undefined
      ? {}
      : { trainerVariables: { [FAULT_VARIABLE]: fault, NODE_OPTIONS: `--import ${seedFault}` } }),
    ...(kills === undefined ? {} : { kills }),
    ...(until === undefined ? {} : { until }),
    title: `${name}: mean reward of a batch, which is always 0`,
    probe: { prompt: task.train[0]?.prompt ?? '', samples: GROUP_SIZE, maxTokens: REPLY_TOKENS },
    output: join(outputs, name),
    timeoutMs: PATIENCE_MS,
    ...{ log: (text) => context.log(`${name}: ${text}`), defer: context.defer },
  });
  const { weights_path: weightsPath } = run.status;
  if (weightsPath === null)
    throw new Error(`${name}: the trainer ended at step ${run.status.step} and names no weights`);
  return { run, end: meanOf(await measureHeldOut({ ...world, weightsPath })) };
}

const meanOf = (heldOut: readonly (readonly number[])[]): number => mean(heldOut.map(mean));
