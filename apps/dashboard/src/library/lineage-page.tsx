import '../runs/runs.css';
import './library.css';
import type { Lineage } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import { modelsQuery } from '../api/queries.ts';
import { writeCount } from '../parts/format.ts';
import { Empty, Loading, Partial, Refused } from '../parts/states.tsx';
import { Mounted } from '../reading/mounted.tsx';
import { Page } from '../shell/page.tsx';
import { useRows } from '../shell/use-rows.ts';
import { useWords } from '../shell/use-search.ts';
import { layOutLineage, keyOf, type Box } from './graph/lay-out-lineage.ts';
import { mountLineageGraph } from './graph/mount-lineage-graph.ts';
import { LineageDetail } from './lineage-detail.tsx';
import { datasetsQuery, lineageQuery } from './queries.ts';

const KINDS = ['model', 'dataset', 'run', 'trajectory', 'reply', 'feedback', 'checkpoint'] as const;

/** What something was made from and what was made of it. */
export function LineagePage(): ReactNode {
  const { kind, id }: { kind?: string; id?: string } = useParams({ strict: false });
  if (kind === undefined || id === undefined) return <Subjects />;
  return <OneLineage key={`${kind}:${id}`} what={`${kind}:${id}`} />;
}

function OneLineage({ what }: { what: string }): ReactNode {
  const { data, error, refetch } = useQuery(lineageQuery(what));
  return (
    <Page title="Lineage" command={`lineage ${what}`} beside={<span className="mono wrap">{what}</span>}>
      {error !== null && data === undefined && <Refused error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading rows={6} />}
      {data !== undefined && data.back.nodes.length + data.forward.nodes.length === 0 && (
        <Empty title="No data set, run or model is tied to it." command="trajectories list">
          If you expected one, look at the id. <Link to="/lineage">Begin elsewhere</Link>.
        </Empty>
      )}
      {data !== undefined && data.back.nodes.length + data.forward.nodes.length > 0 && <GraphView lineage={data} />}
    </Page>
  );
}

function GraphView({ lineage }: { lineage: Lineage }): ReactNode {
  const [words, setWords] = useWords();
  const navigate = useNavigate();
  const whole = words['whole'] ?? '';
  const graph = useMemo(() => layOutLineage(lineage, new Set(whole.split(','))), [lineage, whole]);
  const boxes = graph.boxes.toSorted((left, right) => left.column - right.column || left.row - right.row);
  const pick = (box: Box): void =>
    box.id === undefined
      ? setWords({ whole: [...whole.split(',').filter(Boolean), box.kind].join(',') })
      : setWords({ at: box.key });
  const found = useRows({
    ids: boxes.map(({ key }) => key),
    onOpen(key) {
      const box = boxes.find((each) => each.key === key);
      if (box === undefined) return;
      if (box.id === undefined) return pick(box);
      void navigate({ to: '/lineage/$kind/$id', params: { kind: box.kind, id: box.id } });
    },
  });
  const at = found ?? keyOf(lineage.from);
  const options = useMemo(() => ({ graph, at, onPick: pick }), [graph, at]);
  const chosen = graph.boxes.find(({ key }) => key === at);
  const { back, forward } = lineage;
  return (
    <>
      <p className="soft">
        {writeCount(back.nodes.length)} it was made from, {writeCount(forward.nodes.length)} made of it
      </p>
      {(back.is_cut || forward.is_cut) && <Partial>There is more: the search ended at its limit.</Partial>}
      <div className="split open lineage">
        <Mounted mount={mountLineageGraph} options={options} className="graph" />
        {chosen?.id !== undefined && (
          <aside aria-label={chosen.label}>
            <LineageDetail lineage={lineage} box={{ ...chosen, id: chosen.id }} />
          </aside>
        )}
      </div>
    </>
  );
}

/** Where to begin: what is served, what was made, or anything by its id. */
function Subjects(): ReactNode {
  const navigate = useNavigate();
  const [kind, setKind] = useState<string>('model');
  const [id, setId] = useState('');
  const models = useQuery(modelsQuery());
  const sets = useQuery(datasetsQuery());
  const listed: (readonly [kind: string, id: string])[] = [
    ...(models.data?.models ?? []).map(({ name, version }) => ['model', `${name}@${version}`] as const),
    ...(sets.data?.datasets ?? []).map(({ name, version }) => ['dataset', `${name}@${version}`] as const),
  ];
  const at = useRows({
    ids: listed.map((each) => each.join(':')),
    onOpen: (key) => void navigate({ to: '/lineage/$kind/$id', params: toParams(key) }),
  });
  const error = models.error ?? sets.error;
  const isLoading = models.data === undefined || sets.data === undefined;
  return (
    <Page title="Lineage" command={`lineage ${at ?? `${kind}:${id === '' ? '<id>' : id}`}`}>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (id !== '') void navigate({ to: '/lineage/$kind/$id', params: { kind, id } });
        }}
      >
        <label className="row beside">
          <span className="soft">Of</span>
          <select value={kind} onChange={({ target }) => setKind(target.value)} aria-label="Kind of thing">
            {KINDS.map((each) => (
              <option key={each} value={each}>
                {each === 'dataset' ? 'data set' : each}
              </option>
            ))}
          </select>
        </label>
        <input
          className="subject"
          value={id}
          onChange={({ target }) => setId(target.value)}
          placeholder="its id, the beginning of it, or name@version"
          aria-label="Its id or name"
        />
        <button type="submit" className="primary" disabled={id === ''}>
          Show
        </button>
      </form>
      {error !== null && isLoading && <Refused error={error} />}
      {isLoading && error === null && <Loading rows={4} />}
      {!isLoading && listed.length === 0 && (
        <Empty title="There is no model and no data set yet." command="improve">
          What is made from what is written down as it is made.
        </Empty>
      )}
      <ul className="entries">
        {listed.map((each) => (
          <li key={each.join(':')} className={each.join(':') === at ? 'at' : ''}>
            <Link to="/lineage/$kind/$id" params={{ kind: each[0], id: each[1] }}>
              {each[1]}
            </Link>
            <span className="soft">{each[0] === 'dataset' ? 'data set' : each[0]}</span>
          </li>
        ))}
      </ul>
    </Page>
  );
}

function toParams(key: string): { kind: string; id: string } {
  const colon = key.indexOf(':');
  return { kind: key.slice(0, colon), id: key.slice(colon + 1) };
}
