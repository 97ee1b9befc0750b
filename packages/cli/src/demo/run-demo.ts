import { recipeSchema, type Recipe } from '@lachesis/protocol';
import { homePaths } from '@lachesis/protocol/home';
import { findEngine, prepareEngine, startEngine, type Engine } from '@lachesis/tinker/engine';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { loadDefinition } from '../flags/environment.ts';
import { listRunFiles, runRecipe, type RunFiles } from '../commands/train/run.ts';
import type { View } from './create-view.ts';
import { explainFailure, type Station } from './explain-failure.ts';
import { followMetrics, type StepFacts } from './follow-metrics.ts';
import { ensureWarmUp, LORA_RANK, WARM_UP_STEPS } from './ensure-warm-up.ts';
import { PRESETS, type DemoModel, type Preset } from './preset.ts';
import { readReplies, type Reply } from './read-replies.ts';

export interface DemoOptions {
  readonly home: string;
  /** Where the environment and what comes out go. */
  readonly folder: string;
  readonly model: DemoModel;
  readonly steps?: number | undefined;
  readonly python?: string | undefined;
  readonly view: View;
  readonly now: () => number;
  /** Ends everything in order. */
  readonly signal: AbortSignal;
  /** Ends everything at once. */
  readonly hurry: AbortSignal;
}

export interface DemoResult {
  readonly model: DemoModel;
  readonly run: string;
  readonly rewards: readonly number[];
  readonly before: readonly Reply[];
  readonly after: readonly Reply[];
  /** From the first line to the last. */
  readonly seconds: number;
  readonly environmentFile: string;
  readonly rolloutsPage: string;
  readonly rolloutsFile: string;
  readonly metricsFile: string;
}

/** From whatever is on this machine to a reward that rises. Ends everything it started before it returns or throws. */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const { home, folder, view, now } = options;
  const preset = PRESETS[options.model];
  const startedAt = now();
  const environmentFile = await writeEnvironment(folder, preset);
  // A slip in an edited file is told now, and not by a station that dies in two minutes.
  await loadDefinition(environmentFile);
  const runFolder = await makeRunFolder(folder);

  const { engine, isOurs } = await openEngine(options, preset);
  try {
    const { url, modelDirectory } = engine;
    const initialState = preset.hasWarmUp ? await warmUp(options, { url, modelDirectory }) : undefined;
    const steps = options.steps ?? preset.steps;
    view.log(`\n3 training   ${steps} steps of GRPO on ${relative(process.cwd(), environmentFile)}`);
    view.waiting('starting the trajectory API, the trainer and the environment');
    const run = `demo-${new Date(now()).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}`;
    const files = listRunFiles({ home, run });
    const rolloutsFile = join(runFolder, 'rollouts.jsonl');
    const recipe = makeRecipe({ preset, steps, initialState });
    const all = await train(options, { preset, run, files, recipe, rolloutsFile, environmentFile, runFolder, engine });
    const metricsFile = join(runFolder, 'metrics.jsonl');
    await copyFile(files.metrics, metricsFile);
    return {
      model: options.model,
      run,
      rewards: all.map(({ reward }) => reward),
      ...(await readReplies(rolloutsFile)),
      seconds: (now() - startedAt) / 1000,
      environmentFile,
      rolloutsPage: join(runFolder, 'rollouts.html'),
      rolloutsFile,
      metricsFile,
    };
  } finally {
    if (isOurs) {
      view.waiting('ending the engine');
      await engine.stop();
      view.log('  the engine has ended');
    }
  }
}

/** A file that is there is somebody's work. */
async function writeEnvironment(folder: string, preset: Preset): Promise<string> {
  const file = join(folder, preset.environmentFile);
  await mkdir(folder, { recursive: true });
  if (!existsSync(file)) await writeFile(file, preset.environmentSource, { flag: 'wx' });
  return file;
}

async function makeRunFolder(folder: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const path = join(folder, `run-${number}`);
    if (existsSync(path)) continue;
    await mkdir(path);
    return path;
  }
}

async function openEngine(
  { home, python, signal, view, now }: DemoOptions,
  preset: Preset,
): Promise<{ engine: Engine; isOurs: boolean }> {
  const startedAt = now();
  view.log('1 engine');
  const shared = { home, python, signal, onProgress: view.engine };
  await prepareEngine(shared);
  const model = await preset.getModel(shared);
  const isRunning = (await findEngine({ home }))?.state === 'ready';
  const engine = await startEngine({ ...shared, model });
  const took = ((now() - startedAt) / 1000).toFixed(0);
  view.log(
    `  ready after ${took} s on ${engine.url}${isRunning ? ', where it ran already' : ''}; log ${engine.logFile}`,
  );
  return { engine, isOurs: !isRunning };
}

async function warmUp(
  { home, view, signal, now }: DemoOptions,
  { url, modelDirectory }: { url: string; modelDirectory: string },
): Promise<string> {
  const startedAt = now();
  view.log(
    '\n2 warm-up    a model of random weights never writes a digit, and what is never written is never rewarded',
  );
  view.waiting('the first step is compiled, which takes longest');
  const { statePath, isKept, losses } = await ensureWarmUp({
    file: join(homePaths(home).demo, 'warm-up.json'),
    engineUrl: url,
    modelDirectory,
    signal,
    onStep: (step, loss) => view.warmUp(step, WARM_UP_STEPS, loss),
  });
  const took = ((now() - startedAt) / 1000).toFixed(0);
  view.log(
    isKept || losses === undefined
      ? '  kept from a run before: it writes a digit now and then'
      : `  ${WARM_UP_STEPS} steps in ${took} s: loss ${losses[0].toFixed(2)} → ${losses[1].toFixed(2)}; it writes a digit now and then`,
  );
  return statePath;
}

function makeRecipe(options: { preset: Preset; steps: number; initialState: string | undefined }): Recipe {
  const { preset, steps, initialState } = options;
  return recipeSchema.parse({
    env: { ...preset.env, max_batches_offpolicy: 1, total_steps: steps, steps_per_eval: 0 },
    openai: [{ base_url: 'http://localhost:8001/v1', api_key: 'x' }],
    tinker: {
      base_model: 'engine',
      lora_rank: LORA_RANK,
      learning_rate: preset.learningRate,
      max_token_trainer_length: 128,
      save_checkpoint_interval: 0,
      mode: 'sync',
      ...(initialState === undefined ? {} : { initial_state: initialState }),
    },
  });
}

interface Training {
  readonly preset: Preset;
  readonly run: string;
  readonly files: RunFiles;
  readonly recipe: Recipe;
  readonly rolloutsFile: string;
  readonly environmentFile: string;
  readonly runFolder: string;
  readonly engine: Engine;
}

async function train(options: DemoOptions, training: Training): Promise<StepFacts[]> {
  const { home, view, signal, hurry } = options;
  const { preset, run, files, recipe, engine } = training;
  const all: StepFacts[] = [];
  const stall = createStallTimer(preset.stallMs);
  const ended = new AbortController();
  const following = followMetrics({
    path: files.metrics,
    signal: ended.signal,
    onStep: (facts) => {
      all.push(facts);
      stall.restart();
      if (!signal.aborted) view.step(facts, all, recipe.env.total_steps);
    },
  });
  const stations: Station[] = [
    { name: 'trainer', logFile: files.trainerLog },
    { name: 'environment', logFile: files.environmentLog },
    { name: 'trajectory API', logFile: files.apiLog },
  ];
  let status: Awaited<ReturnType<typeof runRecipe>>;
  try {
    status = await runRecipe({
      home,
      run,
      kind: 'demo',
      isChecked: false,
      environment: training.environmentFile,
      recipe,
      environmentFile: { ...recipe.env, data_path_to_save_groups: training.rolloutsFile },
      engineUrl: engine.url,
      // A key for the managed service stays out of it.
      variables: { TINKER_API_KEY: 'tml-local' },
      anyPort: true,
      workingDirectory: training.runFolder,
      signal: AbortSignal.any([signal, stall.signal]),
      hurry,
      onEvent: (sentence) => {
        if (all.length === 0 && / is up|started/.test(sentence)) view.waiting(sentence);
        else if (sentence.includes('died')) view.log(`  ${sentence}`);
      },
      onLine: () => undefined,
    });
  } catch (error) {
    throw await explainFailure(error instanceof Error ? error.message : String(error), { stations, cause: error });
  } finally {
    stall.stop();
    ended.abort();
    await following;
    view.settle();
  }
  signal.throwIfAborted();
  if (status?.state === 'finished') return all;
  if (!stall.signal.aborted) {
    throw await explainFailure(`the trainer ${status?.state ?? 'ended'}: ${status?.detail ?? 'no word from it'}`, {
      stations,
    });
  }
  const minutes = Math.round(preset.stallMs / 60_000);
  const state = (await findEngine({ home }))?.state;
  const isEngine = state !== 'ready';
  throw await explainFailure(
    `no step was made for ${minutes} minutes${isEngine ? `, and the engine is ${state ?? 'gone'}` : `; the trainer says: ${status?.detail ?? 'nothing'}`}`,
    {
      stations: isEngine
        ? [{ name: 'engine', logFile: engine.logFile }]
        : // A trainer that waits, waits for the environment.
          status?.state === 'waiting'
          ? stations.slice(1)
          : stations,
    },
  );
}

function createStallTimer(ms: number): { signal: AbortSignal; restart: () => void; stop: () => void } {
  const abort = new AbortController();
  const start = (): NodeJS.Timeout => setTimeout(() => abort.abort(new Error('no step was made')), ms);
  let timer = start();
  const stop = (): void => clearTimeout(timer);
  return {
    signal: abort.signal,
    stop,
    restart() {
      stop();
      timer = start();
    },
  };
}
