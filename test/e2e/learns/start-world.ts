import { join } from 'node:path';

import { startEnginePeer } from '../../peers/engine/start-engine-peer.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import type { FreshMachine } from '../first-run/fresh-machine.ts';
import { warmUp } from '../grpo-tiny/warm-up.ts';
import { listConversations } from './list-conversations.ts';
import { makeBriefModel } from './make-brief-model.ts';
import { measureHeldOut } from './measure-held-out.ts';
import type { HeldOut } from './measure-held-out.ts';
import { openPlace } from './open-place.ts';
import { SETTINGS } from './run-task.ts';
import type { World } from './run-task.ts';
import { makeTask } from './tasks.ts';
import type { TaskName } from './tasks.ts';

/** Supervised, on answers drawn at random. */
const WARM_UP = { steps: 30, examplesPerStep: 32 };

export interface StartedWorld {
  readonly world: World;
  /** What the warm-up earns on the combinations it never saw. */
  readonly start: HeldOut;
  readonly engineDirectory: string;
  /** Of the engine. */
  readonly pid: number;
  stop(): Promise<void>;
}

/** An engine, a folder with a home, and a model after its warm-up. */
export async function startWorld(
  context: ScenarioContext,
  { name, seed, machine: installing }: { name: TaskName; seed: number; machine: Promise<FreshMachine> },
): Promise<StartedWorld> {
  const modelDirectory = join(await context.scratch(), 'tiny-brief');
  await makeBriefModel(modelDirectory);
  const engineDirectory = await context.scratch();
  const starting = startEnginePeer({
    model: { directory: modelDirectory },
    runDirectory: engineDirectory,
    // The engine compiles for each number of examples, which takes as long as ten steps: all that is learnt here comes in 32s. And
    // it calculates each pass for all its places, used or not: the base, the learner, the start it is held near, two for samples,
    // one for the look at the end.
    limits: { trainMicroBatch: 32, sampleSequences: 64, adapters: 6, rank: 8 },
    onProgress: ({ message }) => context.log(message),
  });
  context.defer(async () => (await starting).stop());
  const [engine, machine] = await Promise.all([starting, installing]);
  const task = makeTask(name, seed);
  const shared = { engineUrl: engine.url, modelDirectory, seed };
  const { statePath, samplerPath, firstLoss, lastLoss } = await warmUp({
    ...{ ...shared, examplesPerStep: WARM_UP.examplesPerStep },
    conversations: listConversations({ task, ...WARM_UP, seed, answers: 'random' }),
  });
  context.log(`warm-up: loss ${firstLoss.toFixed(1)} to ${lastLoss.toFixed(1)}`);
  const start = await measureHeldOut({ ...shared, task, weightsPath: samplerPath });
  const opened = await openPlace(machine, `${name}-${seed}`);
  const world = { ...shared, ...opened, context, task, initialState: statePath };
  return { world, start, engineDirectory, pid: engine.pid, stop: () => engine.stop() };
}

/** As many steps, each with as many prompts, at the same rate; the right answers are shown instead of found. */
export async function measureSupervised(world: World, steps: number): Promise<HeldOut> {
  const { engineUrl, modelDirectory, task, seed, initialState } = world;
  const shared = { engineUrl, modelDirectory, seed };
  const { groups: examplesPerStep, learningRate } = SETTINGS[task.name];
  const { samplerPath } = await warmUp({
    ...{ ...shared, initialState, examplesPerStep, learningRate },
    conversations: listConversations({ task, steps, examplesPerStep, seed, answers: 'right' }),
  });
  return measureHeldOut({ ...shared, task, weightsPath: samplerPath });
}
