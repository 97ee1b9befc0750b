import { TinkerConflictError, TinkerError } from '@lachesis/tinker';

/** What the client said about an operation, in the order in which operations were called. */
export interface Call {
  /** Such as `optim_step:12`. */
  readonly key: string;
  /** Undefined for a sample, which belongs to no order. */
  readonly modelId: string | undefined;
  /**
   * `done`: it has the result. `took-effect`: carried out, the result is lost. `unknown`: it may have been carried out.
   * `refused`: it was not. `untyped`: an error that is none of the client's. `hung`: no end was seen.
   */
  readonly outcome: 'done' | 'hung' | 'refused' | 'took-effect' | 'unknown' | 'untyped';
  /** The kind of the error, or what it was. */
  readonly error: string | undefined;
  /** The sentence of the error. */
  readonly message: string | undefined;
  /** Numbers of the result that the server also has; undefined where the result was told without asking. */
  readonly result: readonly number[] | undefined;
  readonly elapsedMs: number;
  /** The time it was given. */
  readonly timeoutMs: number;
  /** Calls of one burst are made at once, before any of them has ended. */
  readonly burst: number;
}

/** For a machine that is busy: an operation that ends this much after its deadline has not hung. */
const WATCHDOG_GRACE_MS = 3_000;

export interface WatchOptions {
  readonly key: string;
  readonly modelId: string | undefined;
  /** Resolves to the numbers of the result. */
  readonly work: Promise<readonly number[] | undefined>;
  readonly timeoutMs: number;
  readonly burst: number;
}

/** Waits for an operation, and no longer than the watchdog. */
export async function watchCall({ key, modelId, work, timeoutMs, burst }: WatchOptions): Promise<Call> {
  const startedAt = performance.now();
  const timer = Promise.withResolvers<'hung'>();
  const alarm = setTimeout(() => timer.resolve('hung'), timeoutMs + WATCHDOG_GRACE_MS);
  const facts = { key, modelId, timeoutMs, burst, result: undefined, error: undefined, message: undefined };
  try {
    const ended = await Promise.race([work.then((result) => ({ result })), timer.promise]);
    const elapsedMs = performance.now() - startedAt;
    return ended === 'hung'
      ? { ...facts, outcome: 'hung', elapsedMs }
      : { ...facts, outcome: 'done', elapsedMs, result: ended.result };
  } catch (error) {
    return { ...facts, ...readOutcome(error), message: String(error), elapsedMs: performance.now() - startedAt };
  } finally {
    clearTimeout(alarm);
  }
}

function readOutcome(error: unknown): Pick<Call, 'error' | 'outcome'> {
  if (!TinkerError.isInstance(error)) return { outcome: 'untyped', error: String(error) };
  if (TinkerConflictError.isInstance(error) && error.tookEffect) return { outcome: 'took-effect', error: error.kind };
  return { outcome: error.outcomeUnknown ? 'unknown' : 'refused', error: error.kind };
}
