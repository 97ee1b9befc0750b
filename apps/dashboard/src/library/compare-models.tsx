import type { ModelDetail } from '@lachesis/protocol';
import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { writeMoment } from '../parts/format.ts';
import { Empty, Loading, Refused } from '../parts/states.tsx';
import { Page } from '../shell/page.tsx';
import { listEvaluationRows } from './evaluation-rows.ts';
import { EvaluationTable, ModelTable } from './evaluation-table.tsx';
import { modelQuery } from './queries.ts';
import './library.css';

/** Models beside each other: how each was made, and what was measured of it. Nothing is measured here. */
export function CompareModels({ models }: { models: readonly string[] }): ReactNode {
  const queries = useQueries({ queries: models.map((ref) => modelQuery(ref)) });
  const details = queries.flatMap(({ data }) => (data === undefined ? [] : [data]));
  const isWhole = details.length === models.length;
  const registered = details.map(({ model }) => model);
  const measure = `models compare ${models.slice(0, 2).join(' ')} --dataset <held-out set>`;
  return (
    <Page title="Compare models" command={measure}>
      {models.length < 2 && <Empty title="Two models are needed." command="models list" />}
      {queries.map(({ error, refetch }, index) =>
        error === null ? null : <Refused key={models[index]} error={error} onRetry={() => void refetch()} />,
      )}
      {queries.some(({ isPending }) => isPending) && <Loading rows={6} />}
      {isWhole && models.length > 1 && (
        <>
          <Origins details={details} />
          {listEvaluationRows(registered).length === 0 ? (
            <Empty title="Nothing was measured of any of them." command={measure}>
              Both are measured on the same rows, and what is found is kept with them:
            </Empty>
          ) : (
            <section className="stack">
              <h2>Measured</h2>
              <EvaluationTable models={registered} />
            </section>
          )}
        </>
      )}
    </Page>
  );
}

/** How each was made. */
function Origins({ details }: { details: readonly ModelDetail[] }): ReactNode {
  const lines: readonly (readonly [title: string, read: (detail: ModelDetail) => ReactNode])[] = [
    ['Method', ({ model }) => model.method],
    ['Base', ({ model }) => model.base_model],
    ['Made from', ({ parent_name: parent }) => parent ?? 'the base model'],
    ['Run', ({ model: { run, step } }) => (run === null ? '–' : `${run}${step === null ? '' : `, step ${step}`}`)],
    ['Made', ({ model }) => writeMoment(model.created_at)],
  ];
  return (
    <ModelTable
      label="How they were made"
      head="Model"
      models={details.map(({ model }) => model)}
      groups={[{ lines: lines.map(([title, read]) => [title, details.map(read)] as const) }]}
    />
  );
}
