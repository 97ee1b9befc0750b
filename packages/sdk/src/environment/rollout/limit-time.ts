export interface TimeLimit {
  /** Ends with the caller's signal or when the time is up. */
  readonly signal: AbortSignal;
  /** The promise, or a rejection as soon as the signal ends: code of others may not look at signals. */
  race<T>(work: Promise<T>): Promise<T>;
  clear(): void;
}

/** 0 seconds: no limit beside the signal. */
export function limitTime({
  seconds,
  setting,
  signal: outer,
}: {
  seconds: number;
  setting: string;
  signal: AbortSignal;
}): TimeLimit {
  const limit = new AbortController();
  const timer =
    seconds === 0
      ? undefined
      : setTimeout(() => {
          const error = new Error(`the rollout took longer than ${seconds} s (${setting})`);
          error.name = 'TimeoutError';
          limit.abort(error);
        }, seconds * 1000);
  const signal = AbortSignal.any([outer, limit.signal]);
  return {
    signal,
    race: (work) =>
      new Promise((resolve, reject) => {
        const end = (): void => reject(toError(signal.reason));
        if (signal.aborted) end();
        signal.addEventListener('abort', end, { once: true });
        work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
      }),
    clear: () => clearTimeout(timer),
  };
}

const toError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
