import '../runs/runs.css';
import './library.css';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { environmentsQuery } from '../api/queries.ts';
import { Empty, Loading, Refused } from '../parts/states.tsx';
import { useKeys } from '../shell/keys.ts';
import { Page } from '../shell/page.tsx';
import { useRows } from '../shell/use-rows.ts';
import { useWords } from '../shell/use-search.ts';
import { EnvironmentDetail } from './environment/environment-detail.tsx';

const COMMANDS: Readonly<Partial<Record<string, (name: string) => string>>> = {
  check: (name) => `env check ${name}`,
  try: (name) => `env grade ${name} < replies.json`,
};

/** The environments this server finds; one opens beside the list. */
export function EnvironmentsPage(): ReactNode {
  const [words, setWords] = useWords();
  const { data, error, refetch } = useQuery(environmentsQuery());
  const at = useRows({ ids: (data ?? []).map(({ name }) => name), onOpen: () => undefined });
  useKeys([{ keys: 'Escape', label: 'close the environment', run: () => setWords({ at: undefined }) }]);
  const command = COMMANDS[words['view'] ?? ''] ?? ((name: string) => `env describe ${name}`);
  return (
    <Page title="Environments" command={at === undefined ? 'env list' : command(at)}>
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
              <EnvironmentDetail key={at} name={at} />
            </aside>
          )}
        </div>
      )}
    </Page>
  );
}
