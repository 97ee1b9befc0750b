import type { RunSummary } from '@lachesis/protocol';

/** A run in a list, and how many runs it is a fork of, one of the other. */
export type PlacedRun = RunSummary & { readonly depth: number };

/** Runs in the order they came, each where it was made. */
export const placeFlat = (runs: readonly RunSummary[]): PlacedRun[] => runs.map((run) => ({ ...run, depth: 0 }));

/** Forks below the run they came from, the newest first as all runs are. Whose run is not in the list stands for itself. */
export function placeForks(runs: readonly RunSummary[]): PlacedRun[] {
  const ids = new Set(runs.map(({ run_id: id }) => id));
  const isBelow = ({ run_id: id, fork_of: from }: RunSummary): boolean =>
    typeof from === 'string' && from !== id && ids.has(from);
  const forks = Map.groupBy(runs.filter(isBelow), ({ fork_of: from }) => from ?? '');
  const placed: PlacedRun[] = [];
  // A list of its own and no recursion: a fork of a fork of a fork may go deep.
  const open = runs.filter((run) => !isBelow(run)).map((run) => ({ ...run, depth: 0 }));
  open.reverse();
  for (let run = open.pop(); run !== undefined; run = open.pop()) {
    placed.push(run);
    const { depth } = run;
    const own = forks.get(run.run_id) ?? [];
    open.push(...own.map((fork) => ({ ...fork, depth: depth + 1 })).toReversed());
  }
  return placed;
}
