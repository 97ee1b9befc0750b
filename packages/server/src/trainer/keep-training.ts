import type { Logger } from 'pino';
import type { Trainer } from '../services/training/rl/create-trainer.ts';
import { TrainerError } from '../services/training/trainer-error.ts';
import type { TrainerStatus } from '../services/training/rl/status.ts';
import type { Route } from '../http/route.ts';
import { createTrainerRoutes } from './routes.ts';

export interface TrainingKeeper {
  /** They speak to the trainer that runs at the moment of the call. */
  readonly routes: Route[];
  status(): TrainerStatus;
  run(): Promise<void>;
  stop(): Promise<void>;
}

export interface KeepTrainingOptions {
  /** A new life of the trainer; it finds its weights again by itself. */
  open: () => { trainer: Trainer; close(): Promise<void> };
  log: Logger;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** So many lives may end without a step; then somebody has to look. */
const MAX_FRUITLESS = 8;

/** Keeps a trainer alive: what may pass, such as an engine that restarts, begins a new life of it; what may not, ends. */
export function keepTraining({ open, log, sleep = sleepFor }: KeepTrainingOptions): TrainingKeeper {
  let life = open();
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  /** Why the last life ended, while the next one is awaited. */
  let interruption: string | undefined;

  async function run(): Promise<void> {
    let fruitless = 0;
    for (;;) {
      const before = life.trainer.status().step;
      try {
        await life.trainer.run();
        await closeLife();
        return;
      } catch (error) {
        await closeLife();
        if (stopping.signal.aborted) return;
        const status = life.trainer.status();
        fruitless = status.step > before && before > 0 ? 0 : fruitless + 1;
        log.error({ err: error, step: status.step }, 'the training was interrupted');
        if (TrainerError.isInstance(error) || fruitless >= MAX_FRUITLESS) return;
        interruption = error instanceof Error ? error.message : String(error);
        const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (fruitless - 1));
        await sleep(pause, stopping.signal);
        if (stopping.signal.aborted) return;
        life = open();
        interruption = undefined;
      }
    }
  }

  async function closeLife(): Promise<void> {
    await life
      .close()
      .catch((error: unknown) => log.warn({ err: error }, 'the session with the engine did not end well'));
  }

  const status = (): TrainerStatus => ({
    ...life.trainer.status(),
    ...(interruption === undefined
      ? {}
      : { state: 'starting' as const, detail: `trying again after: ${interruption}` }),
  });
  return {
    routes: createTrainerRoutes({
      status,
      checkpoints: () => life.trainer.checkpoints(),
      recordMetrics: () => life.trainer.recordMetrics(),
      stop: () => void life.trainer.stop(),
    }),
    status,
    run: () => (running ??= run()),
    async stop() {
      stopping.abort();
      await life.trainer.stop();
      await running;
    },
  };
}

function sleepFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
