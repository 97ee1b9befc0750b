import type { TrajectoryFilter, TrajectorySummary } from '@lachesis/protocol';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { Empty, Loading, Refused } from '../parts/states.tsx';
import { useKeys } from '../shell/keys.ts';
import { Page } from '../shell/page.tsx';
import { FilterChips, readFilter, writeFilterFlags } from './lists/filter-chips.tsx';
import { createPager, type Pager } from './lists/create-pager.ts';
import { mountPickList, type PickList } from './lists/mount-pick-list.ts';
import { makeTrajectoryHead, makeTrajectoryRow } from './lists/trajectory-row.ts';
import { Mounted } from './mounted.tsx';
import { loadTrajectories, type TrajectoryOrder } from './queries.ts';
import './reading.css';

const PAGE = 500;
const ORDERS: readonly TrajectoryOrder[] = ['newest', 'oldest', 'updated'];

/** Everything that was recorded: any number of rows, of which those in view are there. */
export function TrajectoriesPage(): ReactNode {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const filter = useMemo(() => readFilter(search), [search]);
  const order = ORDERS.find((each) => each === search['order']) ?? 'newest';
  const source = JSON.stringify([filter, order]);
  const { pager, version } = usePager(filter, order, source);
  const list = useRef<PickList>(undefined);
  const [marked, setMarked] = useState<readonly string[]>([]);
  const isNarrow = useNarrow();

  const change = (next: Record<string, string | undefined>): void =>
    void navigate({ to: '/trajectories', search: { ...search, ...next } });
  const rowAt = (index: number): TrajectorySummary | undefined => pager?.rowAt(index);
  const mark = (): void => {
    const id = rowAt(list.current?.selected ?? -1)?.trajectory_id;
    if (id === undefined) return;
    setMarked((before) => (before.includes(id) ? before.filter((each) => each !== id) : [...before, id].slice(-2)));
  };
  const compare = (): void => {
    const [a, b] = marked;
    if (a !== undefined && b !== undefined) void navigate({ to: '/compare', search: { a, b } });
  };
  useKeys([
    { keys: 'j', label: 'next', run: () => list.current?.move(1) },
    { keys: 'k', label: 'previous', run: () => list.current?.move(-1) },
    { keys: 'Enter', label: 'open', run: () => list.current?.open() },
    { keys: '/', label: 'search', run: () => document.querySelector<HTMLInputElement>('#search')?.focus() },
    { keys: 'f', label: 'filter', run: () => document.querySelector<HTMLSelectElement>('#filter')?.focus() },
    { keys: 'x', label: 'mark', run: mark },
    { keys: '=', label: 'compare the two marked', run: compare },
  ]);

  const options = useMemo(
    () => ({
      count: pager?.count ?? 0,
      height: isNarrow ? 60 : 36,
      label: 'Trajectories',
      source,
      onOpen: (index: number) => {
        const trajectory = pager?.rowAt(index)?.trajectory_id;
        if (trajectory !== undefined) void navigate({ to: '/trajectories/$trajectory', params: { trajectory } });
      },
      onRange: (first: number, last: number) => pager?.show(first, last),
      render: (index: number) => makeTrajectoryRow(pager?.rowAt(index), marked),
    }),
    // `version` says that the pager has other rows.
    [pager, version, source, isNarrow, marked, navigate],
  );

  const count = pager?.count ?? 0;
  return (
    <Page
      title="Trajectories"
      command={`trajectories list${writeFilterFlags(filter)}`}
      beside={
        count > 0 && (
          <span className="soft">
            {count.toLocaleString('en')}
            {pager?.isWhole === true ? '' : ' and more'}
          </span>
        )
      }
      actions={
        <button type="button" onClick={compare} disabled={marked.length < 2}>
          Compare {marked.length} of 2 <kbd>=</kbd>
        </button>
      }
    >
      <FilterChips filter={filter} order={order} orders={ORDERS} onChange={change} />
      {pager?.error !== undefined && <Refused error={pager.error} onRetry={() => pager.retry()} />}
      {pager !== undefined &&
        count === 0 &&
        pager.error === undefined &&
        (pager.isWhole ? <Nothing filter={filter} /> : <Loading rows={12} />)}
      {count > 0 && (
        <div className="listing">
          <Mounted mount={mountTrajectoryHead} options={isNarrow} />
          <Mounted mount={mountPickList} options={options} handle={list} className="tall" />
        </div>
      )}
    </Page>
  );
}

function Nothing({ filter }: { filter: TrajectoryFilter }): ReactNode {
  if (Object.keys(filter).length > 0) return <Empty title="Nothing that was recorded fits these filters." />;
  return (
    <Empty title="Nothing was recorded yet." command="serve inference">
      Send an application through the gateway, or run an agent; what it says appears here.
    </Empty>
  );
}

function mountTrajectoryHead(element: HTMLElement) {
  const head = makeTrajectoryHead();
  element.append(head);
  return { update: () => undefined, destroy: () => head.remove() };
}

/** The pages of a filter, for as long as it is looked at. `version` changes with what was loaded. */
function usePager(filter: TrajectoryFilter, order: TrajectoryOrder, source: string) {
  const [state, setState] = useState<{ pager: Pager<TrajectorySummary> | undefined; version: number }>({
    pager: undefined,
    version: 0,
  });
  useEffect(() => {
    const pager = createPager<TrajectorySummary>({
      size: PAGE,
      load: async (cursor, signal) => {
        const { trajectories, next_cursor: next } = await loadTrajectories(
          filter,
          { limit: PAGE, cursor, order },
          signal,
        );
        return { rows: trajectories, next };
      },
      findPages: async (cursor, signal) =>
        (await loadTrajectories(filter, { limit: 1, cursor, order, pages: PAGE }, signal)).pages ?? undefined,
      onChange: () => setState(({ version }) => ({ pager, version: version + 1 })),
    });
    setState({ pager, version: 0 });
    return () => pager.destroy();
    // `source` is the filter and the order as text.
  }, [source]);
  return state;
}

function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia('(width <= 760px)').matches);
  useEffect(() => {
    const query = matchMedia('(width <= 760px)');
    const listen = (): void => setNarrow(query.matches);
    query.addEventListener('change', listen);
    return () => query.removeEventListener('change', listen);
  }, []);
  return isNarrow;
}
