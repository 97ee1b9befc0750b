import type { EnvironmentCheck, EnvironmentSource } from '@lachesis/protocol';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { requestJson } from '../../api/request.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { writeCount } from '../../parts/format.ts';
import { Mark } from '../../parts/mark.tsx';
import { Loading, Partial, Refused } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useWords } from '../../shell/use-search.ts';
import { EnvironmentSettings } from './environment-settings.tsx';
import { EnvironmentTry } from './environment-try.tsx';

const VIEWS = [
  ['source', 'Source'],
  ['settings', 'Settings'],
  ['check', 'Check'],
  ['try', 'Try a prompt'],
] as const;
type View = (typeof VIEWS)[number][0];

const sourceQuery = (name: string) =>
  queryOptions({
    queryKey: ['environments', name, 'source'],
    queryFn: ({ signal }) =>
      requestJson<EnvironmentSource>(`/environments/${encodeURIComponent(name)}/source`, { signal }),
  });

/** One environment: how it is written, what can be set, whether it does what it must, and what its verifier says. */
export function EnvironmentDetail({ name }: { name: string }): ReactNode {
  const [words] = useWords();
  const view = VIEWS.find(([each]) => each === words['view'])?.[0] ?? 'source';
  return (
    <div className="stack">
      <div className="row">
        <h2>{name}</h2>
        <Link to="/start" search={{ environment: name }} className="button">
          Start a run
        </Link>
      </div>
      <Tabs<View> label={`Views of ${name}`} name="view" views={VIEWS} open={view} />
      {view === 'source' && <Source name={name} />}
      {view === 'settings' && <EnvironmentSettings name={name} />}
      {view === 'check' && <Check name={name} />}
      {view === 'try' && <EnvironmentTry name={name} />}
    </div>
  );
}

function Source({ name }: { name: string }): ReactNode {
  const { data, error } = useQuery(sourceQuery(name));
  if (error !== null && data === undefined) return <Refused error={error} />;
  if (data === undefined) return <Loading rows={8} />;
  return (
    <>
      <p className="soft mono wrap">{data.file_path}</p>
      {data.is_cut && <Partial>The beginning of {writeCount(data.size)} bytes.</Partial>}
      <pre className="source" tabIndex={0}>
        {data.text}
      </pre>
    </>
  );
}

/** Its code is run to check it, so nobody's visit does; somebody asks for it. */
function Check({ name }: { name: string }): ReactNode {
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () =>
      requestJson<EnvironmentCheck>(`/environments/${encodeURIComponent(name)}/check`, { method: 'POST', body: {} }),
  });
  return (
    <>
      <p className="soft">What it must be able to do, tried without a model in a process that only reads.</p>
      <CommandLine command={`env check ${name}`} />
      <button type="button" className="primary" onClick={() => mutate()} disabled={isPending}>
        {isPending ? 'Checking…' : 'Check it'}
      </button>
      {error !== null && <Refused error={error} />}
      {isPending && <Loading rows={5} label="Checking" />}
      {data !== undefined && !isPending && (
        <ul className="gates" role="status">
          {data.lines.map(({ name: what, verdict, detail }) => (
            <li key={what}>
              <Mark
                {...(verdict === 'ok'
                  ? { shape: 'tick', tone: 'good' }
                  : verdict === 'wrong'
                    ? { shape: 'cross', tone: 'bad' }
                    : { shape: 'dash' })}
              />
              <span className="soft">{what}</span>
              <span className="wrap">
                {verdict === 'ok' ? '' : `${verdict}: `}
                {detail}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
