/** Runs and points as a formula: what is in the database is known without asking it. */

export const TENANT = 'local';
export const RUNS = 10_000;
/** The newest run is the long one. */
export const LONG_RUN = 10_000;
export const LONG_STEPS = 100_000;
export const LONG_SERIES = Array.from({ length: 9 }, (_, index) => `long/m${index}`);
/** Measured now and then. */
export const EVAL_SERIES = 'long/z-eval';
export const EVAL_EVERY = 100;
/** Every other run has so many steps of one metric. */
export const SHORT_STEPS = 10;
export const SHORT_SERIES = 'reward/mean';
export const SPIKE = { series: 0, step: 77_777, value: 1e6 };
export const POINTS = LONG_SERIES.length * LONG_STEPS + LONG_STEPS / EVAL_EVERY + (RUNS - 1) * SHORT_STEPS;
export const FIRST_MS = 1_790_000_000_000;

/** The rare ones are the oldest: who looks from the newest on and has no index sees everything before them. */
const RARE = 5;

export const shortIdOf = (run: number): string => `r${String(run).padStart(7, '0')}`;
export const runIdOf = (run: number): string => `01a00000-0000-7000-8000-${String(run).padStart(12, '0')}`;
export const loopIdOf = (run: number): string => `01b00000-0000-7000-8000-${String(run).padStart(12, '0')}`;
export const environmentOf = (run: number): string => (run <= RARE ? 'rare' : `environment-${run % 20}`);
export const stateOf = (run: number): 'completed' | 'failed' | 'stopped' =>
  run <= RARE ? 'failed' : run % 7 === 0 ? 'stopped' : 'completed';

/** The value of a series of the long run, as the database works it out too. */
export function valueOf(series: number, step: number): number {
  if (series === SPIKE.series && step === SPIKE.step) return SPIKE.value;
  return ((step * 7_919 + series * 104_729) % 1_000) / 1_000;
}

/** The newest runs that fit, by short id. */
export function expectRuns(options: { fits?: (run: number) => boolean; before?: number; limit: number }): string[] {
  const { fits = () => true, before = RUNS + 1, limit } = options;
  const found: string[] = [];
  for (let run = before - 1; run >= 1 && found.length < limit; run -= 1) if (fits(run)) found.push(shortIdOf(run));
  return found;
}
