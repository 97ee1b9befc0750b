import '../runs/runs.css';
import './library.css';
import type { ModelDetail } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { modelsQuery } from '../api/queries.ts';
import { writeMoment, writeValue } from '../parts/format.ts';
import { Mark } from '../parts/mark.tsx';
import { Empty, Loading, Partial, Refused } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Facts } from '../reading/facts.tsx';
import { useKeys } from '../shell/keys.ts';
import { Page } from '../shell/page.tsx';
import { useWords } from '../shell/use-search.ts';
import { ModelActions } from './model-actions.tsx';
import { ModelEvaluations } from './model-evaluations.tsx';
import { ModelGates } from './model-gates.tsx';
import { modelQuery } from './queries.ts';

const VIEWS = [
  ['evaluations', 'Evaluations'],
  ['gates', 'Gates'],
  ['history', 'History'],
  ['settings', 'Settings'],
] as const;
type View = (typeof VIEWS)[number][0];

/** One version of a model: how it did beside another, whether it may be served, and when it was. */
export function ModelPage(): ReactNode {
  const { model: ref = '' }: { model?: string } = useParams({ strict: false });
  const navigate = useNavigate();
  const [words] = useWords();
  const { data, error, refetch } = useQuery(modelQuery(ref));
  const name = data?.model.name;
  const { data: all } = useQuery({ ...modelsQuery(name), enabled: name !== undefined });
  const versions = (all?.models ?? []).map(({ version }) => version).toSorted((left, right) => left - right);
  const view = VIEWS.find(([each]) => each === words['view'])?.[0] ?? 'evaluations';
  const move = (step: number): void => {
    const next = versions[versions.indexOf(data?.model.version ?? 0) + step];
    if (next !== undefined)
      void navigate({ to: '/models/$model', params: { model: `${name}@${next}` }, search: words });
  };
  useKeys([
    { keys: '[', label: 'version before', run: () => move(-1) },
    { keys: ']', label: 'next version', run: () => move(1) },
  ]);
  const title = data === undefined ? ref : `${data.model.name}@${data.model.version}`;
  return (
    <Page
      title={title}
      command={`models show ${title}`}
      beside={data === undefined ? undefined : <Serving detail={data} />}
      actions={data === undefined ? undefined : <ModelActions detail={data} />}
    >
      {error !== null && data === undefined && <Refused error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading rows={8} />}
      {data !== undefined && (
        <>
          <ModelFacts detail={data} />
          {typeof data.model.weights_deleted_at === 'number' && (
            <Partial>
              Its weights were deleted {writeMoment(data.model.weights_deleted_at)}: its run keeps only so many.
            </Partial>
          )}
          <Tabs<View> label="Views of the model" name="view" views={VIEWS} open={view} />
          {view === 'evaluations' && all === undefined && <Loading rows={6} />}
          {view === 'evaluations' && all !== undefined && <ModelEvaluations detail={data} versions={all.models} />}
          {view === 'gates' && <ModelGates model={data.model} />}
          {view === 'history' && <History detail={data} />}
          {view === 'settings' && <Settings config={data.model.config} />}
        </>
      )}
    </Page>
  );
}

function Serving({ detail: { model, promotions } }: { detail: ModelDetail }): ReactNode {
  const last = promotions.at(-1);
  if (model.is_promoted) {
    return (
      <span className="nowrap">
        <Mark shape="tick" tone="good" /> served
      </span>
    );
  }
  if (last === undefined) return <span className="soft">nothing of this name is served</span>;
  return (
    <span className="soft">
      served is{' '}
      <Link to="/models/$model" params={{ model: `${last.name}@${last.version}` }}>
        {last.name}@{last.version}
      </Link>
    </span>
  );
}

function ModelFacts({ detail: { model, parent_name: parent } }: { detail: ModelDetail }): ReactNode {
  const { dataset, run, step } = model;
  return (
    <Facts
      facts={[
        ['Method', model.method],
        ['Base', <span className="mono wrap">{model.base_model}</span>],
        [
          'Made from',
          parent === null ? (
            'the base model'
          ) : (
            <Link to="/models/$model" params={{ model: parent }}>
              {parent}
            </Link>
          ),
        ],
        [
          'Data',
          dataset === null ? null : (
            <Link to="/data" search={{ at: `${dataset.name}@${dataset.version}` }}>
              {dataset.name}@{dataset.version}
            </Link>
          ),
        ],
        [
          'Run',
          run === null ? null : (
            <Link to="/runs/$run" params={{ run }} className="mono">
              {run}
            </Link>
          ),
        ],
        ['Step', step],
        ['Made', writeMoment(model.created_at)],
        [
          'Lineage',
          <Link to="/lineage/$kind/$id" params={{ kind: 'model', id: `${model.name}@${model.version}` }}>
            from and into
          </Link>,
        ],
      ]}
    />
  );
}

function History({ detail: { model, promotions } }: { detail: ModelDetail }): ReactNode {
  if (promotions.length === 0) {
    return (
      <Empty
        title={`Nothing was ever promoted as ${model.name}.`}
        command={`models promote ${model.name}@${model.version}`}
      />
    );
  }
  return (
    <div className="scroll-x" tabIndex={0} role="group" aria-label={`What ${model.name} served`}>
      <table>
        <thead>
          <tr>
            <th className="number">Change</th>
            <th>What</th>
            <th>Serves</th>
            <th>By</th>
            <th>Why</th>
            <th className="number">When</th>
          </tr>
        </thead>
        <tbody>
          {promotions.toReversed().map(({ ordinal, kind, name, version, by, reason, at }) => (
            <tr key={ordinal} className={version === model.version ? 'at' : ''}>
              <td className="number">{ordinal}</td>
              <td className="nowrap">
                <Mark {...(kind === 'promoted' ? { shape: 'tick', tone: 'good' } : { shape: 'half', tone: 'warn' })} />{' '}
                {kind === 'promoted' ? 'promoted' : 'rolled back'}
              </td>
              <td className="nowrap">
                <Link to="/models/$model" params={{ model: `${name}@${version}` }} search={{ view: 'history' }}>
                  {name}@{version}
                </Link>
              </td>
              <td>{by}</td>
              <td className="wide">{reason}</td>
              <td className="number soft nowrap">{writeMoment(at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Settings({ config }: { config: Readonly<Record<string, unknown>> }): ReactNode {
  const entries = Object.entries(config);
  if (entries.length === 0) return <Empty title="It was registered without settings." />;
  return (
    <table>
      <tbody>
        {entries.map(([name, value]) => (
          <tr key={name}>
            <th scope="row" className="mono">
              {name}
            </th>
            <td className="mono wide">{writeValue(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
