import { setTimeout as sleep } from 'node:timers/promises';
import type { TrainerStatus } from '../training/rl/status.ts';
import { superviseProcess, type KeptProcess } from './train-process.ts';

/** One process of a run: how to start it, and how to know that it answers. */
export interface TrainProcessPlan {
  name: string;
  arguments: readonly string[];
  logPath: string;
  /** Answered with any status below 500 once the process is up; absent for one that nobody calls. */
  readyUrl?: string | undefined;
  /** Set for this process alone. */
  variables?: Readonly<Record<string, string | undefined>> | undefined;
}

export interface TrainOptions {
  /** How to run this program: the interpreter and what goes before the arguments. */
  command: { file: string; arguments: readonly string[] };
  api: TrainProcessPlan;
  trainer: TrainProcessPlan;
  environment: TrainProcessPlan;
  /** Where the trainer tells its status. */
  statusUrl: string;
  /** Where a token is asked for: one that may look at the status. */
  token?: string | undefined;
  variables?: Readonly<Record<string, string | undefined>> | undefined;
  /** Where the processes work; here when absent. Environments write their `data` folder there. */
  workingDirectory?: string | undefined;
  /** Ends the run in order: the step under way is finished and saved. */
  signal: AbortSignal;
  /** Ends everything at once. */
  hurry?: AbortSignal | undefined;
  /** What happens, as sentences for a person. */
  onEvent: (sentence: string) => void;
  /** Lines of the trainer. */
  onLine: (line: string) => void;
  /** How long a process may take until it answers; default ten minutes, for an engine that loads a large model. */
  readyMs?: number | undefined;
}

const DEFAULT_READY_MS = 600_000;
const POLL_MS = 500;
const GRACE_MS = Object.freeze({ environment: 15_000, trainer: 60_000, api: 15_000 });

/**
 * Runs a training as three processes: the trajectory API, the trainer with inference, the environment; each is started when
 * the one before answers, and they end in the order environment, trainer, API. Resolves with the trainer's last word.
 */
export async function runTraining(options: TrainOptions): Promise<TrainerStatus | undefined> {
  const { api, trainer, environment, signal, onEvent } = options;
  const started: { process: KeptProcess; graceMs: number }[] = [];
  const start = async (
    plan: TrainProcessPlan,
    graceMs: number,
    onLine?: (line: string) => void,
  ): Promise<KeptProcess> => {
    const kept = superviseProcess({
      name: plan.name,
      file: options.command.file,
      arguments: [...options.command.arguments, ...plan.arguments],
      env: { ...options.variables, ...plan.variables },
      logPath: plan.logPath,
      workingDirectory: options.workingDirectory,
      onLine,
      onRestart: (name, death) => onEvent(`the ${name} died (${death}) and is started again`),
    });
    started.push({ process: kept, graceMs });
    if (plan.readyUrl !== undefined) await waitUntilReady(plan, plan.readyUrl, kept, options);
    return kept;
  };

  const killAll = (): void => {
    for (const { process: kept } of started) kept.kill();
  };
  options.hurry?.addEventListener('abort', killAll, { once: true });
  let last: TrainerStatus | undefined;
  try {
    await start(api, GRACE_MS.api);
    onEvent(`trajectory API is up; log ${api.logPath}`);
    const trainerProcess = await start(trainer, GRACE_MS.trainer, options.onLine);
    onEvent(`trainer is up; log ${trainer.logPath}`);
    const environmentProcess = await start(environment, GRACE_MS.environment);
    onEvent(`environment started; log ${environment.logPath}`);

    const failed = Promise.race(
      started.map(({ process: kept }) =>
        kept.ended.then(
          () => never,
          (error: Error) => error,
        ),
      ),
    );
    let hasEnvironmentEnded = false;
    void environmentProcess.ended.then(
      () => (hasEnvironmentEnded = true),
      () => undefined,
    );
    let endedPolls = 0;
    for (;;) {
      const next = await Promise.race([failed, sleep(POLL_MS, undefined, { signal }).then(() => undefined)]);
      if (next instanceof Error) throw next;
      last = (await readStatus(options, signal)) ?? last;
      if (last?.state === 'finished' || last?.state === 'failed' || last?.state === 'stopped') return last;
      // An environment that has nothing more to do leaves the trainer waiting for ever.
      endedPolls = hasEnvironmentEnded && last?.state === 'waiting' ? endedPolls + 1 : 0;
      if (endedPolls > 60)
        throw new Error(`the environment has ended and the trainer waits; see ${environment.logPath}`);
      if (trainerProcess.pid === undefined) await sleep(POLL_MS, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    return last;
  } finally {
    for (const { process: kept, graceMs } of started.toReversed()) {
      onEvent(`ending the ${kept.name}`);
      await kept.stop(graceMs);
    }
    options.hurry?.removeEventListener('abort', killAll);
  }
}

const never = new Promise<never>(() => undefined);

async function waitUntilReady(
  plan: TrainProcessPlan,
  url: string,
  kept: KeptProcess,
  { signal, readyMs = DEFAULT_READY_MS }: TrainOptions,
): Promise<void> {
  const until = performance.now() + readyMs;
  const died = kept.ended.then(
    () => new Error(`the ${plan.name} ended before it answered; its log is ${plan.logPath}`),
    (error: Error) => error,
  );
  for (;;) {
    signal.throwIfAborted();
    if (await isAnswering(url, signal)) return;
    if (performance.now() > until) {
      throw new Error(`the ${plan.name} does not answer at ${url}; its log is ${plan.logPath}`);
    }
    const dead = await Promise.race([died, sleep(POLL_MS, undefined, { signal }).then(() => undefined)]);
    if (dead !== undefined) throw dead;
  }
}

async function isAnswering(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]) });
    await response.arrayBuffer();
    return response.status < 500;
  } catch {
    // Not up yet is what we wait for; how long is bounded above.
    return false;
  }
}

async function readStatus(
  { statusUrl, token }: Pick<TrainOptions, 'statusUrl' | 'token'>,
  signal: AbortSignal,
): Promise<TrainerStatus | undefined> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  try {
    const response = await fetch(statusUrl, {
      headers,
      signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
    });
    if (response.ok) return (await response.json()) as TrainerStatus;
    await response.arrayBuffer();
    return undefined;
  } catch {
    // A trainer that is being started again does not answer for a moment.
    return undefined;
  }
}
