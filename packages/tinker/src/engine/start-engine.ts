import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { resolve } from 'node:path';

import { checkModel, type CheckedModel } from './models/check-model.ts';
import { choosePort } from './choose-port.ts';
import { EngineError } from './engine-error.ts';
import { listEnginePaths, listRunPaths, shippedFiles, type RunPaths } from './engine-paths.ts';
import { writeEngineState, type EngineState } from './engine-state.ts';
import { describeEngine, type Engine } from './engine.ts';
import { findEngine, type FoundEngine } from './find-engine.ts';
import { holdLock } from './hold-lock.ts';
import { ensureTinyModel } from './models/ensure-tiny-model.ts';
import { prepareEngine, type PreparedEngine, type PrepareEngineOptions } from './prepare-engine.ts';
import { stopEngine } from './stop-engine.ts';
import { createEngineEnvironment } from './tool-environment.ts';
import { waitUntilReady } from './wait-until-ready.ts';

/** 10 s with a warm compile cache, a minute without one on two busy cores; a model of gigabytes takes longer to read. */
const READY_TIMEOUT_MS = 5 * 60_000;

/** Another `up` may be installing. */
const START_LOCK_WAIT_MS = 30 * 60_000;

/** Above this a LoRA slot costs tens of megabytes and a step seconds, so there are fewer slots of a lower rank. */
const LARGE_MODEL_BYTES = 200_000_000;

/** The engine keeps one slot for the base model, so one model less than `adapters` can be loaded at once. */
export interface EngineLimits {
  readonly adapters: number;
  readonly rank: number;
  readonly trainMicroBatch: number;
  readonly sampleSequences: number;
}

export interface StartEngineOptions extends PrepareEngineOptions {
  /** A folder in Hugging Face layout; a tiny random model is made when absent. */
  readonly model?: string | undefined;
  /** On 127.0.0.1. 8100 when it is free, any other when absent. */
  readonly port?: number | undefined;
  /** Where it keeps its database, checkpoints and log; `engine/run` in the home by default. One engine per folder. */
  readonly runDirectory?: string | undefined;
  readonly limits?: Partial<EngineLimits>;
  readonly readyTimeoutMs?: number;
  /** Words before the command, such as `setpriv --pdeathsig TERM` for an engine that ends with its starter. */
  readonly launcher?: readonly string[];
  readonly fetch?: typeof globalThis.fetch;
  readonly now?: () => number;
}

/** Starts the engine, or finds it running, and resolves when it takes work. Calls at once start one engine. */
export async function startEngine(options: StartEngineOptions): Promise<Engine> {
  const { home, runDirectory, onProgress, signal } = options;
  const run = listRunPaths(home, runDirectory);
  await using _held = await holdLock({
    file: run.startLock,
    purpose: 'starting the engine',
    waitMs: START_LOCK_WAIT_MS,
    signal,
    onWait: () => onProgress?.({ step: 'wait', message: 'another process is starting the engine; waiting for it' }),
  });
  const found = await findEngine(options);
  if (found?.state === 'ready') return checkFound(found, options);
  // What is left of a start that was cut off, or of an engine whose API is gone.
  await stopEngine({ home, runDirectory });

  const prepared = await prepareEngine(options);
  const model = await checkModel(options.model ?? (await ensureTinyModel(options)));
  const port = await choosePort(options.port);
  // Awaited here: the lock ends with this function, and the engine is not there before it is ready.
  return await launch({ options, run, prepared, model, port });
}

function checkFound(found: FoundEngine, options: StartEngineOptions): Engine {
  const asksOtherModel = options.model !== undefined && resolve(options.model) !== found.modelDirectory;
  const asksOtherPort =
    options.port !== undefined && options.port !== 0 && options.port !== Number(new URL(found.url).port);
  if (!asksOtherModel && !asksOtherPort) return found;
  throw new EngineError({
    reason: 'other-engine-runs',
    message: `An engine already runs on ${found.url} with ${found.modelDirectory}.`,
    hint: 'Stop it first with `lachesis engine down`.',
  });
}

interface Launch {
  readonly options: StartEngineOptions;
  readonly run: RunPaths;
  readonly prepared: PreparedEngine;
  readonly model: CheckedModel;
  readonly port: number;
}

async function launch({ options, run, prepared, model, port }: Launch): Promise<Engine> {
  const { home, runDirectory, onProgress, signal, now = Date.now } = options;
  const { compileCache } = listEnginePaths(home);
  for (const folder of [run.work, run.checkpoints, compileCache]) await mkdir(folder, { recursive: true });
  if (existsSync(run.log)) await rename(run.log, run.previousLog);
  const starting: EngineState = {
    version: 1,
    life: randomUUID(),
    url: `http://127.0.0.1:${port}`,
    model_directory: model.directory,
    log_file: run.log,
    max_lora_rank: chooseLimits({ options, model }).rank,
    started_at_ms: now(),
    is_ready: false,
  };
  // Written before there is a process: if we die after the next line, whoever looks finds both.
  await writeEngineState(run.state, starting);
  onProgress?.({ step: 'start', message: `starting the engine with ${model.directory}` });
  try {
    const child = await spawnDetached({ options, run, prepared, model, port, compileCache });
    await writeEngineState(run.state, { ...starting, pid: child.pid });
    await waitUntilReady({
      url: starting.url,
      logFile: run.log,
      describeEnd: child.describeEnd,
      timeoutMs: options.readyTimeoutMs ?? READY_TIMEOUT_MS,
      signal,
      ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    });
    const state: EngineState = { ...starting, pid: child.pid, is_ready: true };
    await writeEngineState(run.state, state);
    return describeEngine({ home, runDirectory, state, pid: child.pid });
  } catch (error) {
    await stopEngine({ home, runDirectory });
    throw error;
  }
}

async function spawnDetached(
  launch: Launch & { compileCache: string },
): Promise<{ pid: number; describeEnd: () => string | undefined }> {
  const { options, run, prepared, compileCache } = launch;
  const [command, ...args] = [...(options.launcher ?? []), prepared.uv, ...listArguments(launch)];
  await using log = await open(run.log, 'a');
  const child = spawn(command ?? prepared.uv, args, {
    cwd: run.work,
    // A session of its own: Ctrl-C in the terminal does not reach it, and it can be ended as one group.
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: createEngineEnvironment({
      env: options.env ?? process.env,
      venvDirectory: prepared.venvDirectory,
      standIns: shippedFiles.standIns,
      compileCache,
    }),
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  child.unref();
  const { pid } = child;
  if (pid === undefined)
    throw new EngineError({ reason: 'start-failed', message: 'The engine was started without a pid.' });
  return {
    pid,
    describeEnd: () => child.signalCode ?? (child.exitCode === null ? undefined : `code ${child.exitCode}`),
  };
}

function chooseLimits({ options, model }: Pick<Launch, 'model' | 'options'>): EngineLimits {
  const large = model.weightBytes > LARGE_MODEL_BYTES;
  return {
    adapters: large ? 4 : 8,
    rank: large ? 8 : 16,
    trainMicroBatch: 16,
    sampleSequences: large ? 32 : 16,
    ...options.limits,
  };
}

/** The API reads `uv run <flags> -m skyrl.tinker.api` from its parent and starts the engine the same way. */
function listArguments({ options, run, model, port }: Launch): string[] {
  const limits = chooseLimits({ options, model });
  const backend = {
    max_lora_adapters: limits.adapters,
    max_lora_rank: limits.rank,
    train_micro_batch_size: limits.trainMicroBatch,
    sample_max_num_sequences: limits.sampleSequences,
  };
  return [
    ...['run', '--no-project', '-m', 'skyrl.tinker.api'],
    // Without it the server listens on every address, and it asks nobody for a key.
    ...['--host', '127.0.0.1', '--port', String(port)],
    ...['--database-url', run.databaseUrl],
    ...['--backend', 'jax', '--base-model', model.directory, '--checkpoints-base', run.checkpoints],
    ...['--session-timeout-sec', '300', '--session-cleanup-interval-sec', '30'],
    ...['--backend-config', JSON.stringify(backend)],
  ];
}
