import '../runs/runs.css';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { modelsQuery } from '../api/queries.ts';
import { writeMoment } from '../parts/format.ts';
import { Mark } from '../parts/mark.tsx';
import { Empty, Loading, Refused } from '../parts/states.tsx';
import { Page } from '../shell/page.tsx';
import { useRows } from '../shell/use-rows.ts';

/** What was trained, the newest version first. */
export function ModelsPage(): ReactNode {
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(modelsQuery());
  const models = data?.models ?? [];
  const at = useRows({
    ids: models.map(({ name, version }) => `${name}@${version}`),
    onOpen: (model) => void navigate({ to: '/models/$model', params: { model } }),
  });
  return (
    <Page title="Models" command="models list">
      {error !== null && data === undefined && <Refused error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading rows={6} />}
      {data !== undefined && models.length === 0 && (
        <Empty title="Nothing was trained yet." command="demo">
          A run registers a version with each checkpoint.
        </Empty>
      )}
      {models.length > 0 && (
        <div className="scroll-x">
          <table>
            <thead>
              <tr>
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
