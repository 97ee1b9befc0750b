import type { TrainingRun } from '@lachesis/store';
import { splitByEnvironment } from '../environments-of-run.ts';
import { PreflightFailure } from './failure.ts';
import type { PreflightCheck, StepResult } from './run-preflight.ts';

/** The worst of several results is that of all. */
const BADNESS: readonly StepResult['state'][] = ['skipped', 'passed', 'warned'];

/** Makes checks of one environment checks of each environment of a run, one after another; the first that fails is named. */
export function createEnvironmentSplitter(): (check: PreflightCheck) => PreflightCheck {
  // Checks remember what they found by the run they were given.
  const known = new WeakMap<TrainingRun, TrainingRun[]>();
  const split = (run: TrainingRun): TrainingRun[] => {
    const parts = known.get(run) ?? splitByEnvironment(run);
    known.set(run, parts);
    return parts;
  };
  return (check) => ({
    ...check,
    limitMs: (run) =>
      split(run).reduce(
        (sum, part) => sum + (typeof check.limitMs === 'number' ? check.limitMs : check.limitMs(part)),
        0,
      ),
    async run(run, signal) {
      const parts = split(run);
      if (parts.length === 1) return await check.run(run, signal);
      const results: { environment: string; result: StepResult }[] = [];
      for (const part of parts) {
        const { environment } = part;
        try {
          results.push({ environment, result: await check.run(part, signal) });
        } catch (error) {
          if (!PreflightFailure.isInstance(error)) throw error;
          throw new PreflightFailure({ message: `${environment}: ${error.message}`, fix: error.fix });
        }
      }
      const states = results.map(({ result }) => result.state);
      return {
        state: BADNESS.findLast((state) => states.includes(state)) ?? 'passed',
        message: results.map(({ environment, result }) => `${environment}: ${result.message}`).join(' '),
      };
    },
  });
}
