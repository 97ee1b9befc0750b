import '../runs/runs.css';
import type { EnvironmentSource } from '@lachesis/protocol';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { environmentsQuery } from '../api/queries.ts';
import { requestJson } from '../api/request.ts';
import { writeCount } from '../parts/format.ts';
import { Empty, Loading, Partial, Refused } from '../parts/states.tsx';
import { Page } from '../shell/page.tsx';
import { useRows } from '../shell/use-rows.ts';
import { useWords } from '../shell/use-search.ts';

const sourceQuery = (name: string) =>
  queryOptions({
    queryKey: ['environments', name, 'source'],
    queryFn: ({ signal }) =>
      requestJson<EnvironmentSource>(`/environments/${encodeURIComponent(name)}/source`, { signal }),
  });

/** The environments this server finds; the source of one opens beside the list. */
export function EnvironmentsPage(): ReactNode {
  const [, setWords] = useWords();
  const { data, error, refetch } = useQuery(environmentsQuery());
  const at = useRows({ ids: (data ?? []).map(({ name }) => name), onOpen: () => undefined });
  return (
    <Page title="Environments" command={at === undefined ? 'env list' : `env describe ${at}`}>
      {error !== null && data === undefined && <Refused error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading rows={6} />}
      {data?.length === 0 && (
        <Empty title="No environment was found." command="env new my-task">
          An environment gives tasks and scores replies. This writes one that works:
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <div className={`split${at === undefined ? '' : ' open'}`}>
          <ul className="entries">
            {data.map(({ name, description }) => (
              <li key={name} className={name === at ? 'at' : ''}>
                <button
                  type="button"
                  className="quiet"
                  onClick={() => setWords({ at: name })}
                  aria-pressed={name === at}
                >
                  {name}
                </button>
                <span className="soft">{description}</span>
              </li>
            ))}
          </ul>
          {at !== undefined && (
            <aside aria-label={at}>
              <Source key={at} name={at} />
            </aside>
          )}
        </div>
      )}
    </Page>
  );
}

function Source({ name }: { name: string }): ReactNode {
  const { data, error } = useQuery(sourceQuery(name));
  return (
    <div className="stack">
      <div className="row">
        <h2>{name}</h2>
        <Link to="/start" search={{ environment: name }} className="button">
          Start a run
        </Link>
      </div>
      {error !== null && <Refused error={error} />}
      {data === undefined && error === null && <Loading rows={8} />}
      {data !== undefined && (
        <>
          <p className="soft mono wrap">{data.file_path}</p>
          {data.is_cut && <Partial>The beginning of {writeCount(data.size)} bytes.</Partial>}
          <pre className="source" tabIndex={0}>
            {data.text}
          </pre>
        </>
      )}
    </div>
  );
}
