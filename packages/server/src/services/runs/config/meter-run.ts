import type { ModelPrice, RunLimits } from './estimate-run.ts';

/** Tokens a run has used so far, counted over the lives of its processes. */
export interface RunMeter {
  prompt: number;
  sampled: number;
  trained: number;
  /** The counters when they were read the last time: they begin at 0 with each process. */
  last: { prompt: number; sampled: number };
}

export const EMPTY_METER: RunMeter = Object.freeze({
  prompt: 0,
  sampled: 0,
  trained: 0,
  last: Object.freeze({ prompt: 0, sampled: 0 }),
});

/** Adds what was used since the last reading. `trained` is a sum of its own, kept by the trainer's metrics. */
export function readMeter(
  meter: RunMeter,
  now: { prompt: number; sampled: number } | undefined,
  trained: number,
): RunMeter {
  if (now === undefined) return { ...meter, trained };
  const grown = (name: 'prompt' | 'sampled'): number =>
    // A counter that went down belongs to a process that began anew.
    now[name] >= meter.last[name] ? now[name] - meter.last[name] : now[name];
  return {
    prompt: meter.prompt + grown('prompt'),
    sampled: meter.sampled + grown('sampled'),
    trained,
    last: { prompt: now.prompt, sampled: now.sampled },
  };
}

export const costOf = ({ prompt, sampled, trained }: RunMeter, price: ModelPrice): number =>
  (prompt * price.input + sampled * price.output + trained * (price.train ?? 0)) / 1e6;

/** What is watched from outside. */
export type MeteredLimits = Omit<RunLimits, 'steps'>;

/** Why a run must end now; undefined while it may go on. Its steps are counted by its trainer, which makes none too many. */
export function judgeLimits(options: {
  meter: RunMeter;
  price: ModelPrice | undefined;
  limits: MeteredLimits;
}): string | undefined {
  const { meter, price, limits } = options;
  const tokens = meter.prompt + meter.sampled + meter.trained;
  if (limits.tokens !== undefined && tokens >= limits.tokens) {
    return `its limit of ${limits.tokens} tokens is reached: it has used ${tokens}`;
  }
  if (limits.cost === undefined || price === undefined) return undefined;
  const cost = costOf(meter, price);
  if (cost < limits.cost) return undefined;
  return `its budget of ${limits.cost} US dollars is spent: ${cost.toFixed(2)} by the price table`;
}
