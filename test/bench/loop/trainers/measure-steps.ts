import type { EngineJob } from '../engine/engine-options.ts';

export interface StepTimes {
  /** From the end of one optimiser step to that of the next, in milliseconds. */
  readonly periodMs: number;
  /** What of it the engine was at work, whatever with. */
  readonly engineMs: number;
  /** The rest: the trainer's. */
  readonly overheadMs: number;
}

/** The steps between the ends of optimiser steps, without the first `skipped` ones, in which code is still being loaded. */
export function measureSteps(jobs: readonly EngineJob[], skipped: number): readonly StepTimes[] {
  const ends = jobs
    .filter(({ operation }) => operation === 'optim_step')
    .map(({ endedMs }) => endedMs)
    .sort((left, right) => left - right)
    .slice(skipped);
  return ends.slice(1).map((end, index) => {
    const begin = ends[index]!;
    const engineMs = measureUnion(jobs, begin, end);
    return { periodMs: end - begin, engineMs, overheadMs: end - begin - engineMs };
  });
}

/** How long at least one job ran between two moments. */
function measureUnion(jobs: readonly EngineJob[], begin: number, end: number): number {
  const spans = jobs
    .map(({ startedMs, endedMs }) => ({ from: Math.max(begin, startedMs), to: Math.min(end, endedMs) }))
    .filter(({ from, to }) => to > from)
    .sort((left, right) => left.from - right.from);
  let [busy, reached] = [0, begin];
  for (const { from, to } of spans) {
    busy += Math.max(0, to - Math.max(from, reached));
    reached = Math.max(reached, to);
  }
  return busy;
}
