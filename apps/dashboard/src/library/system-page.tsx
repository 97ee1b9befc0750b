import '../runs/runs.css';
import './library.css';
import { isFinalRunState } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { healthQuery, runsQuery } from '../api/queries.ts';
import { Mark, type MarkShape, type Tone } from '../parts/mark.tsx';
import { Empty, Loading, Refused } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Facts } from '../reading/facts.tsx';
import { useKeys } from '../shell/keys.ts';
import { Page } from '../shell/page.tsx';
import { useWords } from '../shell/use-search.ts';
import { RunStations } from './system/run-stations.tsx';
import { SystemAudit } from './system/system-audit.tsx';
import { SystemQueue } from './system/system-queue.tsx';
import { SystemTokens } from './system/system-tokens.tsx';

const VIEWS = [
  ['stations', 'Stations'],
  ['queue', 'Queue and leases'],
  ['tokens', 'Tokens'],
  ['audit', 'Audit'],
] as const;
type View = (typeof VIEWS)[number][0];

const COMMANDS: Readonly<Record<View, string>> = {
  stations: 'doctor',
  queue: 'batch list',
  tokens: 'token list',
  audit: 'audit verify',
};

/** What runs here, who holds what, who may call, and whether the log of it is whole. */
export function SystemPage(): ReactNode {
  const [words, setWords] = useWords();
  const view = VIEWS.find(([each]) => each === words['view'])?.[0] ?? 'stations';
  const move = (step: number): void => {
    const next = VIEWS[VIEWS.findIndex(([each]) => each === view) + step]?.[0];
    if (next !== undefined) setWords({ view: next === 'stations' ? undefined : next });
  };
  useKeys([
    { keys: '[', label: 'view before', run: () => move(-1) },
    { keys: ']', label: 'next view', run: () => move(1) },
  ]);
  return (
    <Page title="System" command={COMMANDS[view]}>
      <Tabs<View> label="Views of the system" name="view" views={VIEWS} open={view} />
      {view === 'stations' && <Stations />}
      {view === 'queue' && <SystemQueue />}
      {view === 'tokens' && <SystemTokens />}
      {view === 'audit' && <SystemAudit />}
    </Page>
  );
}

const SHOWN: Readonly<Record<string, readonly [MarkShape, Tone, string]>> = {
  ok: ['tick', 'good', 'ok'],
  impaired: ['triangle', 'warn', 'impaired'],
  ready: ['tick', 'good', 'ready'],
  away: ['cross', 'bad', 'does not answer'],
  managed: ['ring', 'plain', 'a service behind a key, not asked'],
  configured: ['ring', 'plain', 'configured, not asked'],
  none: ['dash', 'plain', 'none'],
};

function Said({ word }: { word: string | undefined }): ReactNode {
  const [shape, tone, text] = SHOWN[word ?? ''] ?? ['dash', 'plain', 'not told'];
  return (
    <span className="nowrap">
      <Mark shape={shape} tone={tone} /> {text}
    </span>
  );
}

function Stations(): ReactNode {
  const health = useQuery(healthQuery());
  const runs = useQuery(runsQuery({ limit: 100 }));
  const moving = (runs.data?.runs ?? []).filter(({ status }) => !isFinalRunState(status));
  return (
    <>
      {health.error !== null && health.data === undefined && <Refused error={health.error} />}
      {health.data === undefined && health.error === null && <Loading rows={2} />}
      {health.data !== undefined && (
        <Facts
          facts={[
            ['Control server', <Said word={health.data.status} />],
            ['Engine', <Said word={health.data.engine} />],
            ['Inference', <Said word={health.data.inference} />],
            ['Version', health.data.version],
            ['Library', <span className="mono">{health.data.library}</span>],
          ]}
        />
      )}
      <section className="stack">
        <h2>Processes of runs</h2>
        {runs.error !== null && runs.data === undefined && <Refused error={runs.error} />}
        {runs.data === undefined && runs.error === null && <Loading rows={3} />}
        {runs.data !== undefined && moving.length === 0 && (
          <Empty title="No run is under way." command="runs start">
            A run has a trajectory API, a trainer and an environment, each a process of its own.
          </Empty>
        )}
        {moving.map((run) => (
          <RunStations key={run.run_id} run={run} />
        ))}
        <p className="soft">
          Sandboxes belong to the environment that opened them and end with it; this server does not see them.
        </p>
      </section>
    </>
  );
}
