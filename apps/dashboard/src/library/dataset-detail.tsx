import type { DatasetVersion } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CommandLine } from '../parts/command-line.tsx';
import { writeCount, writeMoment } from '../parts/format.ts';
import { Mark } from '../parts/mark.tsx';
import { Loading, Refused } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Facts } from '../reading/facts.tsx';
import { useWords } from '../shell/use-search.ts';
import { DatasetRows } from './dataset-rows.tsx';
import { datasetCheckQuery } from './queries.ts';
import { writeSplits } from './write-splits.ts';

const VIEWS = [
  ['check', 'Check'],
  ['rows', 'Rows'],
  ['recipe', 'How it was made'],
] as const;
type View = (typeof VIEWS)[number][0];

/** Files that hold all of a row or what most trainers read; `lachesis data export --help` has the others. */
const FORMATS = ['jsonl', 'openai', 'openai-fine-tuning', 'parquet', 'sharegpt', 'trl'];

/** One version: what it holds, whether it can be trained on, and the line that takes it out. */
export function DatasetDetail({ dataset }: { dataset: DatasetVersion }): ReactNode {
  const [words] = useWords();
  const ref = `${dataset.name}@${dataset.version}`;
  const view = VIEWS.find(([each]) => each === words['view'])?.[0] ?? 'check';
  return (
    <div className="stack">
      <h2>{ref}</h2>
      <Facts
        facts={[
          ['Rows', writeCount(dataset.row_count)],
          ['Splits', writeSplits(dataset)],
          ['Made', writeMoment(dataset.created_at)],
          [
            'Lineage',
            <Link to="/lineage/$kind/$id" params={{ kind: 'dataset', id: ref }}>
              from and into
            </Link>,
          ],
        ]}
      />
      <p className="soft mono wrap">{dataset.content_digest}</p>
      <ExportLine dataset={dataset} />
      <Tabs<View> label={`Views of ${ref}`} name="view" views={VIEWS} open={view} />
      {view === 'check' && <Check name={ref} />}
      {view === 'rows' && <DatasetRows name={ref} total={dataset.row_count} />}
      {view === 'recipe' && (
        <pre className="source" tabIndex={0}>
          {JSON.stringify(dataset.recipe, null, 2)}
        </pre>
      )}
    </div>
  );
}

function ExportLine({ dataset }: { dataset: DatasetVersion }): ReactNode {
  const [words, setWords] = useWords();
  if (dataset.is_held_out) {
    return (
      <p className="note">
        <Mark shape="square" tone="warn" /> Held out: its rows are for measuring, and leave by no export.
      </p>
    );
  }
  const format = words['format'] ?? FORMATS[0] ?? '';
  const ref = `${dataset.name}@${dataset.version}`;
  return (
    <div className="row export-line">
      <label className="row">
        <span className="soft">Export as</span>
        <select value={format} onChange={({ target }) => setWords({ format: target.value })}>
          {FORMATS.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <CommandLine
        command={`data export ${format} --dataset ${ref} -o ${dataset.name}.${format === 'parquet' ? format : 'jsonl'}`}
      />
    </div>
  );
}

/** What would go wrong in training: which rows, and what to do. */
function Check({ name }: { name: string }): ReactNode {
  const [words] = useWords();
  const { data, error, refetch } = useQuery(datasetCheckQuery(name, words['context']));
  if (error !== null && data === undefined) return <Refused error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={4} label="Reading every row" />;
  return (
    <div className="stack">
      <p>
        <b>{writeCount(data.trainable_count)}</b> of {writeCount(data.row_count)} rows without an error
        <span className="soft"> · looked for {data.checked.join(', ')}</span>
      </p>
      <CommandLine command={`data check ${name}`} />
      {data.findings.length === 0 && (
        <p className="note">
          <Mark shape="tick" tone="good" /> Nothing would go wrong.
        </p>
      )}
      <ul className="findings">
        {data.findings.map((finding) => (
          <li key={finding.class} className="stack">
            <p className="row">
              <Mark
                {...(finding.severity === 'error'
                  ? { shape: 'cross', tone: 'bad' }
                  : { shape: 'triangle', tone: 'warn' })}
              />
              <b>{finding.severity}</b>
              <span>
                {finding.what} · {writeCount(finding.count)} {finding.count === 1 ? 'row' : 'rows'}
              </span>
            </p>
            <p>{finding.fix}</p>
            <ul className="soft mono">
              {finding.rows.map(({ row, detail }) => (
                <li key={row} className="wrap">
                  row {row} · {detail}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </div>
  );
}
