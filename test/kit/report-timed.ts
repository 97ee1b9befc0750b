import type { ScenarioContext, ScenarioLine } from '../scenarios/scenario.ts';
import { countForeignCores, sampleMachine } from './machine-noise.ts';

export type TimedLine = Pick<ScenarioLine, 'name' | 'figure' | 'bar' | 'ok'>;

/** Gives how many cores others use from now on; `ownRoots` are ours, with all that they started. */
export function watchNeighbours(ownRoots: readonly number[]): () => number {
  const before = sampleMachine(ownRoots);
  return () => countForeignCores(before, sampleMachine(ownRoots));
}

/** A line that only the clock decides. Where it is short it says how busy others kept the machine, and stays short. */
export function reportTimed(context: ScenarioContext, line: TimedLine, foreignCores: number): void {
  const beside = line.ok ? '' : `; others used ${foreignCores.toFixed(1)} cores meanwhile`;
  context.report({ ...line, figure: `${line.figure}${beside}`, onlyByClock: true });
}
