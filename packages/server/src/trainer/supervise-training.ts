import type { Logger } from 'pino';
import type { Trainer } from '../services/training/rl/create-trainer.ts';
import { TrainerError } from '../services/training/trainer-error.ts';
import type { TrainerStatus } from '../services/training/rl/status.ts';
import type { Route } from '../http/route.ts';
import { createTrainerRoutes } from './routes.ts';

export interface TrainingSupervisor {
  /** They speak to the trainer that runs at the moment of the call. */
  readonly routes: Route[];
  status(): TrainerStatus;
  run(): Promise<void>;
  stop(): Promise<void>;
}

export interface SuperviseTrainingOptions {
  /** A new session of the trainer; it finds its weights again by itself. */
  open: () => { trainer: Trainer; close(): Promise<void> };
  log: Logger;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** So many sessions may end without a step; then somebody has to look. */
const MAX_ATTEMPTS_WITHOUT_PROGRESS = 8;

/** Supervises a trainer: what may pass, such as an engine that restarts, begins a new session of it; what may not, ends. */
export function superviseTraining({ open, log, sleep = sleepFor }: SuperviseTrainingOptions): TrainingSupervisor {
  let session = open();
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  /** Why the last session ended, while the next one is awaited. */
  let interruption: string | undefined;

  async function run(): Promise<void> {
    let attemptsWithoutProgress = 0;
    for (;;) {
      const before = session.trainer.status().step;
      try {
        await session.trainer.run();
        await closeSession();
        return;
      } catch (error) {
        await closeSession();
        if (stopping.signal.aborted) return;
        const status = session.trainer.status();
        attemptsWithoutProgress = status.step > before && before > 0 ? 0 : attemptsWithoutProgress + 1;
        log.error({ err: error, step: status.step }, 'the training was interrupted');
        if (TrainerError.isInstance(error) || attemptsWithoutProgress >= MAX_ATTEMPTS_WITHOUT_PROGRESS) return;
        interruption = error instanceof Error ? error.message : String(error);
        const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attemptsWithoutProgress - 1));
        await sleep(pause, stopping.signal);
        if (stopping.signal.aborted) return;
        interruption = undefined;
        session = open();
      }
    }
  }

  async function closeSession(): Promise<void> {
    await session
      .close()
      .catch((error: unknown) => log.warn({ err: error }, 'the session with the engine did not end well'));
  }

  const status = (): TrainerStatus => {
    const last = session.trainer.status();
    if (interruption === undefined) return last;
    return stopping.signal.aborted
      ? { ...last, state: 'stopped', detail: `stopped before another try, after: ${interruption}` }
      : { ...last, state: 'starting', detail: `trying again after: ${interruption}` };
  };
  /** Also between two sessions, where nobody but us would hear of it. */
  const stop = (): Promise<void> => {
    stopping.abort();
    return session.trainer.stop();
  };
  return {
    routes: createTrainerRoutes({
      status,
      checkpoints: () => session.trainer.checkpoints(),
      evaluate: (step, score) => session.trainer.evaluate(step, score),
      recordMetrics: () => session.trainer.recordMetrics(),
      keepItems: () => session.trainer.keepItems(),
      progress: (question) => session.trainer.progress(question),
      stop: () => void stop(),
    }),
    status,
    run: () => (running ??= run()),
    async stop() {
      await stop();
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
