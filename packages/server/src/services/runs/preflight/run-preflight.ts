import type { PreflightStep } from '@lachesis/protocol';
import type { TrainingRun } from '@lachesis/store';
import { PreflightFailure } from './failure.ts';

/** What a step found. */
export type StepResult = { state: 'passed' | 'skipped' | 'warned'; message: string };

/** One step of the check. It throws a `PreflightFailure` when something has to be done first. */
export interface PreflightCheck {
  name: PreflightStep['name'];
  /** How long it may take. */
  limitMs: number | ((run: TrainingRun) => number);
  /** What to do when it breaks in a way nobody foresaw. */
  fix: string;
  run: (run: TrainingRun, signal: AbortSignal) => Promise<StepResult>;
}

export interface PreflightOptions {
  checks: readonly PreflightCheck[];
  /** Milliseconds that never go back. */
  monotonic: () => number;
  /** Steps that were made before these. */
  earlier?: ((run: TrainingRun) => readonly PreflightStep[]) | undefined;
  /** Told after every step with all that were made. */
  onSteps?: ((run: TrainingRun, steps: readonly PreflightStep[]) => Promise<void>) | undefined;
}

export type PreflightVerdict = { passed: true } | { passed: false; reason: string };

/**
 * Goes through the checks in their order and ends at the first that fails: what comes after would fail for the same
 * reason. The verdict is what a supervisor wants to know.
 */
export function createPreflight(
  options: PreflightOptions,
): (run: TrainingRun, signal: AbortSignal) => Promise<PreflightVerdict> {
  const { checks, monotonic, onSteps } = options;
  return async (run, signal) => {
    const steps: PreflightStep[] = [...(options.earlier?.(run) ?? [])];
    for (const check of checks) {
      const startedAt = monotonic();
      const step = await makeStep(check, run, signal);
      const seconds = Math.round((monotonic() - startedAt) / 10) / 100;
      steps.push({ ...step, seconds });
      await onSteps?.(run, steps);
      if (step.state !== 'failed') continue;
      return { passed: false, reason: `the check before the start failed (${step.name}): ${step.message} ${step.fix}` };
    }
    return { passed: true };
  };
}

/** A step without its time. */
type StepOutcome = Pick<PreflightStep, 'fix' | 'message' | 'name' | 'state'>;

async function makeStep(
  { name, limitMs: given, fix, run: work }: PreflightCheck,
  run: TrainingRun,
  signal: AbortSignal,
): Promise<StepOutcome> {
  const limitMs = typeof given === 'number' ? given : given(run);
  const limit = AbortSignal.timeout(limitMs);
  const both = AbortSignal.any([signal, limit]);
  try {
    const { state, message } = await endWith(both, work(run, both));
    return { name, state, message, fix: null };
  } catch (error) {
    if (PreflightFailure.isInstance(error)) return { name, state: 'failed', message: error.message, fix: error.fix };
    if (limit.aborted) {
      return { name, state: 'failed', message: `It took longer than ${limitMs / 1000} s.`, fix };
    }
    const message = error instanceof Error ? error.message : String(error);
    return { name, state: 'failed', message, fix };
  }
}

/** Work of others may not look at signals. */
function endWith<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('It was ended.'));
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
