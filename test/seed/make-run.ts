import type { FinalRunState } from '@lachesis/protocol';
import { findNewestIncarnation, openHome, recordMetricPoints, type JsonObject } from '@lachesis/store';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTrainedRun } from '../../packages/server/src/services/runs/rollouts/trained-run.fixture.ts';
import { openSinks } from '../../packages/server/src/services/training/sinks/open-sinks.ts';
import { FakeEngine } from '../../packages/server/src/services/training/testing/fake-engine.fixture.ts';
import { TASKS, type EnvironmentName } from './content/tasks.ts';
import { createDice } from './dice.ts';
import { makeGroup } from './make-group.ts';
import { createPast } from './past.ts';
import type { Vocabulary } from './vocabulary.ts';

/** One run, as a scenario says it. */
export interface RunPlan {
  run: string;
  environment: EnvironmentName;
  steps: number;
  /** Default: as many as it makes. */
  totalSteps?: number;
  /** Hours before now at which its last step was made. */
  hoursAgo: number;
  /** How well the policy does the tasks after this part of the way; both from 0 to 1. */
  skill: (way: number) => number;
  /** What the environment measures beside the reward, by the names of their series. */
  measured?: Readonly<Record<string, (way: number) => number>>;
  /** Default: it completed. */
  end?: { state: FinalRunState | 'running'; reason: string };
  learningRate?: number;
  /** How far the trainer's log probabilities are from the sampler's. */
  drift?: number;
  /** What the log of its trainer ends with. */
  lastLine?: string;
  /** The run that it is a fork of. */
  parent?: string;
}

export interface MakeRunOptions {
  home: string;
  /** Where logs and metric files go; the folder of runs in the home. */
  runs: string;
  vocabulary: Vocabulary;
  /** Folder of the tokenizer that the weights name. */
  tokenizer: string;
  plan: RunPlan;
  groups: number;
  rollouts: number;
  now: number;
}

const TENANT = 'local';
const STEP_SECONDS = 41;
const EVALUATED_EVERY = 4;
/** Nobody's model: what is seeded says nothing about one that exists. */
const BASE_MODEL = 'seed/words';

/** A run of the real trainer on an engine in memory, at another time, with the metrics, logs and rollouts it leaves. */
export async function makeRun(options: MakeRunOptions): Promise<void> {
  const { home, vocabulary, tokenizer, plan, groups, rollouts } = options;
  const { run, environment, steps, totalSteps = steps, learningRate = 0.00004, drift = 0.03 } = plan;
  const directory = join(options.runs, run);
  await mkdir(directory, { recursive: true });
  const dice = createDice(run);
  const past = createPast(options.now - plan.hoursAgo * 3_600_000 - steps * STEP_SECONDS * 1_000);
  const wayOf = (step: number): number => step / totalSteps;
  const lines: string[] = [];
  const note = (text: string): void => void lines.push(`${new Date(past.now()).toISOString()} ${text}`);
  note(`weights of ${BASE_MODEL} are loaded, rank 32`);
  const details: JsonObject = {
    ...{ directory, configPath: join(directory, 'recipe.yaml') },
    ...(plan.parent === undefined ? {} : { forkOf: plan.parent }),
  };
  let losses = 0;
  await makeTrainedRun({
    ...{ home, run, steps, totalSteps, environment, details, logs: directory, time: past, baseModel: BASE_MODEL },
    ...(plan.end === undefined ? {} : { end: plan.end }),
    env: { batch_size: groups * rollouts, group_size: rollouts, tokenizer_name: BASE_MODEL },
    tinker: {
      ...{ learning_rate: learningRate, base_model: BASE_MODEL, model_name: environment },
      save_checkpoint_interval: Math.max(5, Math.round(totalSteps / 4)),
    },
    groupsOf: (step) => {
      // The trainer waits while the policy answers.
      past.pass(STEP_SECONDS * (0.5 + dice() * 0.3));
      return Array.from({ length: groups }, (_, index) => {
        const { item, attempt } = TASKS[environment](1 + ((step * groups + index) % 60));
        const attempts = Array.from({ length: rollouts }, () => attempt(plan.skill(wayOf(step)), dice));
        return makeGroup({ environment, item, attempts, vocabulary, policyVersion: Math.max(0, step - 1), dice });
      });
    },
    openEngine: (journal) =>
      new FakeEngine(
        {},
        {
          baseModel: tokenizer,
          logprobOf: (sampled) => Math.min(-0.0001, sampled + (dice() - 0.5) * drift),
          lossOf: (targets) => {
            past.pass(STEP_SECONDS * (0.2 + dice() * 0.15));
            losses += 1;
            return targets * (0.12 * Math.exp(-losses / 30) + (dice() - 0.5) * 0.03);
          },
          optimizerMetrics: () => ({ grad_norm: 0.3 + dice() * 0.4 + 0.6 * Math.exp(-losses / 12) }),
        },
      ).connect(journal, () => undefined),
    openSink: async (scope) => (await openSinks({ ...scope, directory, wandb: undefined, useTensorboard: false })).all,
    onStep: note,
  });
  await recordMeasured(options, past.now(), wayOf);
  await writeLogs(directory, [...lines, ...(plan.lastLine === undefined ? [] : [plan.lastLine])], plan);
}

/** What the environment of the run told of it: shares of right answers, and evaluations every few steps. */
async function recordMeasured(
  { home: folder, plan }: MakeRunOptions,
  endedAt: number,
  wayOf: (step: number) => number,
): Promise<void> {
  await using home = await openHome({ home: folder });
  const { store } = home;
  const loop = await findNewestIncarnation({ store, tenantId: TENANT, name: plan.run });
  if (loop === undefined) throw new Error(`run ${plan.run} left nothing in the store`);
  const dice = createDice(`${plan.run} measured`);
  const points = Object.entries(plan.measured ?? {}).flatMap(([series, valueAt]) =>
    Array.from({ length: plan.steps }, (_, index) => index + 1)
      .filter((step) => !series.startsWith('eval/') || step % EVALUATED_EVERY === 0)
      .map((step) => ({
        ...{ series, step, at: endedAt - (plan.steps - step) * STEP_SECONDS * 1_000 },
        value: Math.min(1, Math.max(0, valueAt(wayOf(step)) + (dice() - 0.5) * 0.05)),
      })),
  );
  await recordMetricPoints({ store, tenantId: TENANT, runId: loop.runId, points });
}

async function writeLogs(directory: string, lines: readonly string[], { environment }: RunPlan): Promise<void> {
  const [first = ''] = lines;
  const began = first.split(' ')[0] ?? '';
  const sent = lines.flatMap((line) => {
    const step = /step +(?<step>\d+)/.exec(line)?.groups?.['step'];
    return step === undefined ? [] : [`${line.split(' ')[0]} groups for step ${step} are sent`];
  });
  const logs = {
    trainer: lines,
    api: [`${began} the trajectory API listens on 127.0.0.1:8000`],
    env: [`${began} ${environment}: 60 items, 3 of them held out`, ...sent],
  };
  for (const [role, text] of Object.entries(logs))
    await writeFile(join(directory, `${role}.log`), `${text.join('\n')}\n`);
}
