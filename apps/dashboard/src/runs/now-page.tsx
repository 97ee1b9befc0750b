import './runs.css';
import { isFinalRunState, type RunSummary } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { modelsQuery, runsQuery, unratedQuery } from '../api/queries.ts';
import { useAwaySince, useRunsTopic } from '../api/use-stream.ts';
import { CostToday } from '../library/cost-line.tsx';
import { writeDuration, writeMoment } from '../parts/format.ts';
import { Mark } from '../parts/mark.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { Empty, Loading, Refused, Stale } from '../parts/states.tsx';
import { useKeys } from '../shell/keys.ts';
import { Page } from '../shell/page.tsx';
import { useRows } from '../shell/use-rows.ts';
import { RunCurve, RunProgress } from './run-row-parts.tsx';
import { WhyLine } from './run-why.tsx';

const RECENT = 50;
const ENDED_SHOWN = 5;

/** What moves, what waits for somebody, and what is served. */
export function NowPage(): ReactNode {
  const navigate = useNavigate();
  useRunsTopic();
  const awaySince = useAwaySince();
  const { data, error, isError, dataUpdatedAt, refetch } = useQuery(runsQuery({ limit: RECENT }));
  const moving = (data?.runs ?? []).filter(({ status }) => !isFinalRunState(status));
  const ended = (data?.runs ?? []).filter(({ status }) => isFinalRunState(status)).slice(0, ENDED_SHOWN);
  const at = useRows({
    ids: [...moving, ...ended].map(({ run_id }) => run_id),
    onOpen: (run) => void navigate({ to: '/runs/$run', params: { run } }),
  });
  useKeys([{ keys: 'n', label: 'start a run', run: () => void navigate({ to: '/start' }) }]);
  return (
    <Page
      title="Now"
      command="runs list"
      actions={
        <Link to="/start" className="button primary">
          Start a run
        </Link>
      }
    >
      {isError && data === undefined && <Refused error={error} onRetry={() => void refetch()} />}
      {(isError || awaySince !== undefined) && data !== undefined && <Stale since={awaySince ?? dataUpdatedAt} />}
      {data === undefined && !isError && <Loading rows={4} />}
      {data !== undefined && (
        <div className="now">
          <section className="stack">
            <h2>Under way</h2>
            {moving.length === 0 ? (
              <Empty title="No run is under way." command={data.runs.length === 0 ? 'demo' : 'runs start'}>
                {data.runs.length === 0
                  ? 'The first one needs nothing but this machine: engine, model and training come with it.'
                  : undefined}
              </Empty>
            ) : (
              moving.map((run) => <MovingRun key={run.run_id} run={run} isAt={run.run_id === at} />)
            )}
            {ended.length > 0 && (
              <>
                <h2>Ended last</h2>
                <ul className="run-list">
                  {ended.map((run) => (
                    <EndedRun key={run.run_id} run={run} isAt={run.run_id === at} />
                  ))}
                </ul>
                <p>
                  <Link to="/runs">All runs</Link>
                </p>
              </>
            )}
          </section>
          <div className="stack now-side">
            <ToRate />
            <Served />
            <CostToday />
          </div>
        </div>
      )}
    </Page>
  );
}

function MovingRun({ run, isAt }: { run: RunSummary; isAt: boolean }): ReactNode {
  return (
    <article className={`moving${isAt ? ' at' : ''}`}>
      <p className="row">
        <StateWord state={run.status} />
        <Link to="/runs/$run" params={{ run: run.run_id }} className="mono">
          {run.run_id}
        </Link>
        <span className="cut">{run.environment}</span>
        <span className="soft">{writeDuration((Date.now() - (run.started_at ?? run.created_at)) / 1_000)}</span>
      </p>
      <p className="row">
        <RunCurve run={run.run_id} isEnded={false} />
        <RunProgress run={run.run_id} isEnded={false} />
      </p>
      <WhyLine run={run.run_id} />
    </article>
  );
}

function EndedRun({ run, isAt }: { run: RunSummary; isAt: boolean }): ReactNode {
  return (
    <li className={isAt ? 'at' : ''}>
      <StateWord state={run.status} />
      <Link to="/runs/$run" params={{ run: run.run_id }} className="mono cut">
        {run.run_id}
      </Link>
      <span className="cut">{run.environment}</span>
      <RunCurve run={run.run_id} isEnded />
      <span className="soft number">{writeMoment(run.ended_at ?? run.created_at)}</span>
    </li>
  );
}

function ToRate(): ReactNode {
  const { data } = useQuery(unratedQuery());
  return (
    <section className="stack">
      <h2>To rate</h2>
      {data === undefined ? (
        <Loading rows={1} />
      ) : data.trajectories.length === 0 ? (
        <p className="soft">Nothing waits for a rating.</p>
      ) : (
        <p>
          <Link to="/rate">Rate what was recorded</Link> <kbd>g a</kbd>
        </p>
      )}
    </section>
  );
}

function Served(): ReactNode {
  const { data } = useQuery(modelsQuery());
  const served = (data?.models ?? []).filter(({ is_promoted }) => is_promoted);
  return (
    <section className="stack">
      <h2>Served</h2>
      {data === undefined ? (
        <Loading rows={1} />
      ) : served.length === 0 ? (
        <p className="soft">No model is promoted.</p>
      ) : (
        <ul className="stack">
          {served.map(({ name, version, created_at }) => (
            <li key={name} className="row">
              <Mark shape="tick" tone="good" />
              <Link to="/models/$model" params={{ model: `${name}@${version}` }}>
                {name}@{version}
              </Link>
              <span className="soft">{writeMoment(created_at)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
