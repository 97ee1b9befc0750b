import './runs.css';
import { RUN_STATES, isFinalRunState, type RunState } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState, type ReactNode } from 'react';
import { runsQuery } from '../api/queries.ts';
import { useAwaySince, useRunsTopic } from '../api/use-stream.ts';
import { writeCount, writeDuration, writeMoment } from '../parts/format.ts';
import { StateWord } from '../parts/state-word.tsx';
import { Empty, Loading, Refused, Stale } from '../parts/states.tsx';
import { useKeys } from '../shell/keys.ts';
import { Page } from '../shell/page.tsx';
import { useRows } from '../shell/use-rows.ts';
import { useWords } from '../shell/use-search.ts';
import { placeFlat, placeForks, type PlacedRun } from './place-forks.ts';
import { RunCurve, RunProgress } from './run-row-parts.tsx';

const ROW = 40;
const MOST_RUNS = 10_000;
const MOST_MARKED = 16;
/** Forks of forks are moved in no further: their names would not be read any more. */
const DEEPEST = 5;

/** All runs, the newest first. Rows are drawn where they are seen, so that ten thousand cost what thirty do. */
export function RunsPage(): ReactNode {
  const [words, setWords] = useWords();
  const navigate = useNavigate();
  useRunsTopic();
  const awaySince = useAwaySince();
  const status = RUN_STATES.find((state) => state === words['status']);
  const environment = words['environment'];
  const { data, error, isPending, isError, dataUpdatedAt, refetch } = useQuery(
    runsQuery({ status, environment, limit: MOST_RUNS }),
  );
  const isTree = words['tree'] === '1';
  const runs = useMemo(() => (isTree ? placeForks : placeFlat)(data?.runs ?? []), [data, isTree]);
  const marked = words['marked']?.split(',').filter(Boolean) ?? [];
  const list = useRef<HTMLDivElement>(null);
  const filter = useRef<HTMLInputElement>(null);
  const rows = useWindowVirtualizer({
    count: runs.length,
    estimateSize: () => ROW,
    overscan: 8,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  const open = (run: string): void => void navigate({ to: '/runs/$run', params: { run } });
  const at = useRows({
    ids: runs.map(({ run_id }) => run_id),
    onOpen: open,
    onReach: (index) => rows.scrollToIndex(index),
  });
  const mark = (run: string): void => {
    const next = marked.includes(run) ? marked.filter((each) => each !== run) : [...marked, run].slice(-MOST_MARKED);
    setWords({ marked: next.join(',') });
  };
  const compare = (): void => {
    if (marked.length > 1) void navigate({ to: '/compare', search: { runs: marked.join(',') } });
  };
  useKeys([
    { keys: 'x', label: 'mark the row', run: () => at !== undefined && mark(at) },
    { keys: '=', label: 'compare what is marked', run: compare },
    { keys: 'f', label: 'filter by environment', run: () => filter.current?.focus() },
    { keys: '/', label: 'filter by environment', run: () => filter.current?.focus() },
    { keys: 'T', label: 'forks below their runs, or by time', run: () => setWords({ tree: isTree ? '' : '1' }) },
    { keys: 'n', label: 'start a run', run: () => void navigate({ to: '/start' }) },
  ]);

  return (
    <Page
      title="Runs"
      command="runs list"
      beside={data !== undefined && <span className="soft">{writeCount(runs.length)}</span>}
      actions={
        <>
          <button type="button" onClick={compare} disabled={marked.length < 2}>
            Compare{marked.length > 0 ? ` ${marked.length}` : ''} <kbd>=</kbd>
          </button>
          <Link to="/start" className="button primary">
            Start a run
          </Link>
        </>
      }
    >
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span className="visually-hidden">State</span>
          <select value={status ?? ''} onChange={({ target }) => setWords({ status: target.value, at: '' })}>
            <option value="">every state</option>
            {RUN_STATES.map((state: RunState) => (
              <option key={state}>{state}</option>
            ))}
          </select>
        </label>
        <label>
          <span className="visually-hidden">Environment</span>
          <input
            ref={filter}
            placeholder="environment"
            value={environment ?? ''}
            onChange={({ target }) => setWords({ environment: target.value, at: '' })}
            onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
          />
        </label>
        <label className="row">
          <input
            type="checkbox"
            checked={isTree}
            onChange={({ target }) => setWords({ tree: target.checked ? '1' : '' })}
          />
          forks below their runs
        </label>
      </form>
      {isError && data === undefined && <Refused error={error} onRetry={() => void refetch()} />}
      {(isError || awaySince !== undefined) && data !== undefined && <Stale since={awaySince ?? dataUpdatedAt} />}
      {isPending && <Loading rows={8} />}
      {data !== undefined && runs.length === 0 && (
        <NoRuns isFiltered={status !== undefined || environment !== undefined} />
      )}
      {runs.length > 0 && (
        <div role="table" aria-label="Runs" aria-rowcount={runs.length} className="runs-table">
          <div role="row" className="run-row head">
            <span role="columnheader">
              <span className="visually-hidden">Marked</span>
            </span>
            <span role="columnheader">State</span>
            <span role="columnheader">Run</span>
            <span role="columnheader">Environment</span>
            <span role="columnheader">Reward</span>
            <span role="columnheader">Progress</span>
            <span role="columnheader" className="number">
              Took
            </span>
            <span role="columnheader" className="number">
              Began
            </span>
          </div>
          <div role="rowgroup" ref={list} style={{ height: rows.getTotalSize(), position: 'relative' }}>
            {rows.getVirtualItems().map(({ index, start }) => {
              const run = runs[index];
              return run === undefined ? null : (
                <RunRow
                  key={run.run_id}
                  run={run}
                  index={index}
                  top={start - rows.options.scrollMargin}
                  isAt={run.run_id === at}
                  isMarked={marked.includes(run.run_id)}
                  isPassing={rows.isScrolling}
                  onMark={() => mark(run.run_id)}
                />
              );
            })}
          </div>
        </div>
      )}
    </Page>
  );
}

interface RunRowProps {
  run: PlacedRun;
  index: number;
  top: number;
  isAt: boolean;
  isMarked: boolean;
  /** The list is being scrolled. */
  isPassing: boolean;
  onMark: () => void;
}

function RunRow({ run, index, top, isAt, isMarked, isPassing, onMark }: RunRowProps): ReactNode {
  const began = run.started_at ?? run.created_at;
  const isEnded = isFinalRunState(run.status);
  // A row asks for its figures when the list stands still, and keeps them as long as it is seen.
  const [isAsking, setAsking] = useState(!isPassing);
  if (!isPassing && !isAsking) setAsking(true);
  return (
    <div
      role="row"
      aria-rowindex={index + 1}
      className={`run-row${isAt ? ' at' : ''}${isMarked ? ' marked' : ''}`}
      style={{ transform: `translateY(${top}px)` }}
    >
      <span role="cell">
        <input type="checkbox" checked={isMarked} onChange={onMark} aria-label={`Mark ${run.run_id}`} />
      </span>
      <span role="cell">
        <StateWord state={run.status} />
      </span>
      <span role="cell" className="cut">
        <RunName run={run} />
      </span>
      <span role="cell" className="cut">
        {(run.environments ?? []).length > 1 ? run.environments?.map(({ name }) => name).join(', ') : run.environment}
        {run.kind !== undefined && run.kind !== 'rl' && <span className="soft"> · {run.kind}</span>}
      </span>
      <span role="cell">{isAsking && <RunCurve run={run.run_id} isEnded={isEnded} />}</span>
      <span role="cell">{isAsking && <RunProgress run={run.run_id} isEnded={isEnded} />}</span>
      <span role="cell" className="number soft">
        {writeDuration(((run.ended_at ?? Date.now()) - began) / 1_000)}
      </span>
      <span role="cell" className="number soft">
        {writeMoment(began)}
      </span>
    </div>
  );
}

/** Its id, and where it came from: by its place where forks stand below, else by a word. */
function RunName({ run: { run_id: run, fork_of: from, depth } }: { run: PlacedRun }): ReactNode {
  return (
    <>
      {depth > 0 && (
        <span className="soft" style={{ paddingInlineStart: (Math.min(depth, DEEPEST) - 1) * 12 }}>
          ↳{' '}
        </span>
      )}
      <Link to="/runs/$run" params={{ run }} className="mono" title={run}>
        {run}
      </Link>
      {typeof from === 'string' && depth === 0 && (
        <span className="soft" title={`a fork of ${from}`}>
          {' '}
          ↳ {from}
        </span>
      )}
    </>
  );
}

function NoRuns({ isFiltered }: { isFiltered: boolean }): ReactNode {
  if (isFiltered) return <Empty title="No run is like this.">Choose another state, or empty the filter.</Empty>;
  return (
    <Empty title="No run yet." command="demo">
      A run trains a model, and is seen here from its first step on. This one needs nothing but this machine:
    </Empty>
  );
}
