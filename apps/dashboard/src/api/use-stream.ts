import type { RunSummary, RunList } from '@lachesis/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { isWholeList, type RunsFilter } from './queries.ts';
import { followTopic, watchStream } from './stream.ts';

/** Since when the server is away; undefined while it is not. */
export function useAwaySince(): number | undefined {
  const [awaySince, setAwaySince] = useState<number>();
  useEffect(() => watchStream(setAwaySince), []);
  return awaySince;
}

/** Brings runs that are new or have changed into the lists of the page, without asking for the lists again. */
export function useRunsTopic(): void {
  const queries = useQueryClient();
  useEffect(
    () =>
      followTopic('runs', (event, data) => {
        if (event !== 'runs') return;
        const { runs: changed } = data as { runs: RunSummary[] };
        queries.setQueriesData<RunList>(
          // Lists with a filter are asked again in their own time.
          { queryKey: ['runs'], predicate: ({ queryKey: [, filter] }) => isWholeList(filter as RunsFilter) },
          (before) => (before === undefined ? undefined : mergeRuns(before, changed)),
        );
      }),
    [queries],
  );
}

export function mergeRuns(list: RunList, changed: readonly RunSummary[]): RunList {
  const byId = new Map(changed.map((run) => [run.run_id, run]));
  const known = new Set(list.runs.map(({ run_id }) => run_id));
  const fresh = changed.filter(({ run_id }) => !known.has(run_id));
  const oldest = list.runs.at(-1)?.created_at ?? 0;
  const added = list.next === null ? fresh : fresh.filter(({ created_at }) => created_at >= oldest);
  if (added.length === 0 && changed.every(({ run_id }) => !known.has(run_id))) return list;
  const runs = [...added, ...list.runs.map((run) => byId.get(run.run_id) ?? run)];
  return {
    ...list,
    count: list.count + added.length,
    runs: runs.toSorted((left, right) => right.created_at - left.created_at),
  };
}
