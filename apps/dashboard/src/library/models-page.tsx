import '../runs/runs.css';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { modelsQuery } from '../api/queries.ts';
import { writeMoment } from '../parts/format.ts';
import { Mark } from '../parts/mark.tsx';
import { Empty, Loading, Refused } from '../parts/states.tsx';
import { Page } from '../shell/page.tsx';
import { useKeys } from '../shell/keys.ts';
import { useRows } from '../shell/use-rows.ts';
import { useWords } from '../shell/use-search.ts';

/** As many as stand beside each other without scrolling. */
const MOST_MARKED = 4;

/** What was trained, the newest version first. */
export function ModelsPage(): ReactNode {
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(modelsQuery());
  const models = data?.models ?? [];
  const [words, setWords] = useWords();
  const marked = words['marked']?.split(',').filter(Boolean) ?? [];
  const mark = (model: string): void => {
    const next = marked.includes(model) ? marked.filter((each) => each !== model) : [...marked, model];
    setWords({ marked: next.slice(-MOST_MARKED).join(',') });
  };
  const compare = (): void => {
    if (marked.length > 1) void navigate({ to: '/compare', search: { models: marked.join(',') } });
  };
  const at = useRows({
    ids: models.map(({ name, version }) => `${name}@${version}`),
    onOpen: (model) => void navigate({ to: '/models/$model', params: { model } }),
  });
  useKeys([
    { keys: 'x', label: 'mark the row', run: () => at !== undefined && mark(at) },
    { keys: '=', label: 'compare what is marked', run: compare },
  ]);
  return (
    <Page
      title="Models"
      command="models list"
      actions={
        <button type="button" onClick={compare} disabled={marked.length < 2}>
          Compare{marked.length > 0 ? ` ${marked.length}` : ''} <kbd>=</kbd>
        </button>
      }
    >
      {error !== null && data === undefined && <Refused error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading rows={6} />}
      {data !== undefined && models.length === 0 && (
        <Empty title="Nothing was trained yet." command="demo">
          A run registers a version with each checkpoint.
        </Empty>
      )}
      {models.length > 0 && (
        <div className="scroll-x" tabIndex={0} role="group" aria-label="Models">
          <table>
            <thead>
              <tr>
                <th>
                  <span className="visually-hidden">Marked</span>
                </th>
                <th>Model</th>
                <th>Serves</th>
                <th>Method</th>
                <th>Base</th>
                <th>Run</th>
                <th className="number">Step</th>
                <th className="number">Made</th>
              </tr>
            </thead>
            <tbody>
              {models.map(({ name, version, is_promoted, method, base_model, run, step, created_at }) => (
                <tr key={`${name}@${version}`} className={`${name}@${version}` === at ? 'at' : ''}>
                  <td>
                    <input
                      type="checkbox"
                      checked={marked.includes(`${name}@${version}`)}
                      onChange={() => mark(`${name}@${version}`)}
                      aria-label={`Mark ${name}@${version}`}
                    />
                  </td>
                  <td className="nowrap">
                    <Link to="/models/$model" params={{ model: `${name}@${version}` }}>
                      {name}@{version}
                    </Link>
                  </td>
                  <td className="nowrap">
                    {is_promoted ? (
                      <>
                        <Mark shape="tick" tone="good" /> served
                      </>
                    ) : (
                      <span className="soft">–</span>
                    )}
                  </td>
                  <td>{method}</td>
                  <td className="mono">{base_model}</td>
                  <td className="mono">
                    {run === null ? (
                      '–'
                    ) : (
                      <Link to="/runs/$run" params={{ run }}>
                        {run}
                      </Link>
                    )}
                  </td>
                  <td className="number">{step ?? '–'}</td>
                  <td className="number soft nowrap">{writeMoment(created_at)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Page>
  );
}
