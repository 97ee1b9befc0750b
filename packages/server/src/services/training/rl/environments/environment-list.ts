import type { Clock } from '@lachesis/protocol';

/** The environments that speak to a trainer. */
export interface EnvironmentList {
  /** One has asked or told something. */
  add(environment: string, options: { isDone: boolean }): void;
  /** Whether there are several, so that the series of each need its name. */
  readonly hasSeveral: boolean;
  /** Whether there is any. */
  readonly hasAny: boolean;
  /** Resolves when each has said that nothing more comes from it, or has been silent for too long; also with the signal. */
  untilDone(signal: AbortSignal): Promise<void>;
}

/** They ask several times a second, during an evaluation too; one that is silent for so long is gone. */
const SILENT_MS = 15_000;
const LOOK_EVERY_MS = 100;

export function createEnvironmentList({ clock }: { clock: Clock }): EnvironmentList {
  const known = new Map<string, { heardAt: number; isDone: boolean }>();
  const isAwaited = ({ heardAt, isDone }: { heardAt: number; isDone: boolean }): boolean =>
    !isDone && clock.now() - heardAt < SILENT_MS;
  return {
    add: (environment, { isDone }) => void known.set(environment, { heardAt: clock.now(), isDone }),
    get hasAny() {
      return known.size > 0;
    },
    get hasSeveral() {
      return known.size > 1;
    },
    async untilDone(signal) {
      while (!signal.aborted && [...known.values()].some(isAwaited)) await clock.sleep(LOOK_EVERY_MS, signal);
    },
  };
}
