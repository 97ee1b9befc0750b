import type { ScenarioContext, ScenarioLine } from '../scenarios/scenario.ts';
import { countForeignCores, sampleMachine } from './machine-noise.ts';
import { MAX_FOREIGN_CORES } from './wait-for-calm.ts';

export type TimedLine = Pick<ScenarioLine, 'name' | 'figure' | 'bar' | 'ok'>;

/** Gives how many cores others use from now on; `ownRoots` are ours, with all that they started. */
export function watchNeighbours(ownRoots: readonly number[]): () => number {
  const before = sampleMachine(ownRoots);
  return () => countForeignCores(before, sampleMachine(ownRoots));
}

/** A line that only the clock decides. Whatever waits for a processor is late: short beside busy neighbours says nothing, and is not run. */
export function reportTimed(context: ScenarioContext, line: TimedLine, foreignCores: number): void {
  if (line.ok || foreignCores <= MAX_FOREIGN_CORES) return context.report({ ...line, onlyByClock: true });
  const { name, bar, figure } = line;
  context.reportNotRun({ name, bar, why: `others used ${foreignCores.toFixed(1)} cores meanwhile: ${figure}` });
}
