import './runs.css';
import { isFinalRunState, type RunStatus } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { runQuery } from '../api/queries.ts';
import { useAwaySince } from '../api/use-stream.ts';
import { writeDuration, writeMoment, writeNumber } from '../parts/format.ts';
import { StateWord } from '../parts/state-word.tsx';
import { Loading, Refused, Stale } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useKeys } from '../shell/keys.ts';
import { Page } from '../shell/page.tsx';
import { useWords } from '../shell/use-search.ts';
import { RunActions } from './run-actions.tsx';
import { RunCharts } from './run-charts.tsx';
import { RunEvents } from './run-events.tsx';
import { RunLedger } from './run-ledger.tsx';
import { RunLogs } from './run-logs.tsx';
import { StepProgress } from './run-row-parts.tsx';
import { RunSettings } from './run-settings.tsx';
import { RunSteps } from './run-steps.tsx';
import { RunWhy, WhyLine } from './run-why.tsx';
import { useRunStream } from './use-run-stream.ts';

const VIEWS = [
  ['charts', 'Charts'],
  ['steps', 'Steps'],
  ['why', 'Why'],
  ['events', 'Events'],
  ['logs', 'Logs'],
  ['settings', 'Settings'],
] as const;

type View = (typeof VIEWS)[number][0];

/** One run: where it stands, why, and what it has done. */
export function RunPage(): ReactNode {
  const { run } = useParams({ from: '/runs/$run' });
  const [words, setWords] = useWords();
  const view: View = VIEWS.find(([name]) => name === words['view'])?.[0] ?? 'charts';
  const { data, error, isError, dataUpdatedAt, refetch } = useQuery(runQuery(run));
  const isEnded = data !== undefined && isFinalRunState(data.status);
  useRunStream(run, data === undefined || isEnded);
  const awaySince = useAwaySince();
  useKeys([
    ...VIEWS.map(([name, title], index) => ({
      keys: String(index + 1),
      label: title.toLowerCase(),
      run: () => setWords({ view: index === 0 ? '' : name }),
    })),
    { keys: 'w', label: 'why', run: () => setWords({ view: 'why' }) },
  ]);

  return (
    <Page
      title={`Run ${run}`}
      command={commandOf(run, view, words['role'])}
      beside={data !== undefined && <StateWord state={data.status} />}
      actions={data !== undefined && <RunActions status={data} />}
    >
      {isError && data === undefined && <Refused error={error} onRetry={() => void refetch()} />}
      {data === undefined && !isError && <Loading rows={6} />}
      {data !== undefined && (
        <>
          {(isError || awaySince !== undefined) && <Stale since={awaySince ?? dataUpdatedAt} />}
          <RunFacts status={data} />
          {!isEnded && <WhyLine run={run} />}
          <RunLedger run={run} isEnded={isEnded} />
          <Tabs label="Views of the run" name="view" views={VIEWS} open={view} />
          <section aria-label={view}>
            {view === 'charts' && <RunCharts run={run} />}
            {view === 'steps' && <RunSteps run={run} isEnded={isEnded} />}
            {view === 'why' && <RunWhy run={run} isEnded={isEnded} />}
            {view === 'events' && <RunEvents run={run} />}
            {view === 'logs' && <RunLogs run={run} isEnded={isEnded} />}
            {view === 'settings' && <RunSettings run={run} />}
          </section>
        </>
      )}
    </Page>
  );
}

function commandOf(run: string, view: View, role = 'trainer'): string {
  switch (view) {
    case 'charts':
      return `metrics ${run}`;
    case 'steps':
      return `rollouts ${run}`;
    case 'why':
      return `runs why ${run}`;
    case 'logs':
      return `logs ${run} ${role}`;
    default:
      return `runs show ${run}`;
  }
}

function RunFacts({ status }: { status: RunStatus }): ReactNode {
  const { metrics, reason } = status;
  const began = status.started_at ?? status.created_at;
  const isEnded = status.ended_at !== null;
  const left =
    !isEnded && status.estimated_seconds !== null
      ? Math.max(0, status.estimated_seconds - (Date.now() - began) / 1_000)
      : undefined;
  const percent = (share: number | null | undefined): string =>
    typeof share === 'number' ? `${writeNumber(share * 100)} %` : '–';
  return (
    <div className="run-facts">
      <dl className="facts">
        <Fact name="Environment">
          <Link to="/environments" search={{ at: status.environment }}>
            {status.environment}
          </Link>
        </Fact>
        {typeof status.fork_of === 'string' && (
          <Fact name="Fork of">
            <Link to="/runs/$run" params={{ run: status.fork_of }} className="mono">
              {status.fork_of}
            </Link>
          </Fact>
        )}
        <Fact name="Step">
          <StepProgress step={metrics.step} total={status.total_steps} />
        </Fact>
        <Fact name="Reward">{writeNumber(metrics.reward_mean)}</Fact>
        <Fact name="Loss">{writeNumber(metrics.loss)}</Fact>
        {metrics.percent_correct !== undefined && <Fact name="Correct">{percent(metrics.percent_correct)}</Fact>}
        {metrics.eval_percent_correct !== undefined && (
          <Fact name="Evaluated">{percent(metrics.eval_percent_correct)}</Fact>
        )}
        <Fact name={isEnded ? 'Took' : 'Runs for'}>
          {writeDuration(((status.ended_at ?? Date.now()) - began) / 1_000)}
        </Fact>
        {left !== undefined && <Fact name="Left, about">{writeDuration(left)}</Fact>}
        <Fact name="Began">{writeMoment(began)}</Fact>
      </dl>
      {reason !== null && !(status.status === 'completed' && status.error === undefined && reason === '') && (
        <p className={`reason${status.status === 'failed' ? ' bad' : ''}`}>{status.error ?? reason}</p>
      )}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
