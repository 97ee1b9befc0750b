import '../reading/lists/lists.css';
import '../runs/runs.css';
import './library.css';
import type { DatasetVersion } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { writeCount, writeMoment } from '../parts/format.ts';
import { Mark } from '../parts/mark.tsx';
import { Empty, Loading, Refused } from '../parts/states.tsx';
import { useKeys } from '../shell/keys.ts';
import { Page } from '../shell/page.tsx';
import { useRows } from '../shell/use-rows.ts';
import { useWords } from '../shell/use-search.ts';
import { DatasetDetail } from './dataset-detail.tsx';
import { MakeDataset } from './make-dataset.tsx';
import { datasetsQuery } from './queries.ts';
import { writeSplits } from './write-splits.ts';

const refOf = ({ name, version }: Pick<DatasetVersion, 'name' | 'version'>): string => `${name}@${version}`;

/** Every version of every data set; one opens beside the list, and so does the form that makes one. */
export function DataPage(): ReactNode {
  const [words, setWords] = useWords();
  const { data, error, refetch } = useQuery(datasetsQuery());
  const datasets = data?.datasets ?? [];
  const isMaking = words['make'] !== undefined;
  const at = useRows({ ids: datasets.map(refOf), onOpen: (ref) => setWords({ at: ref, make: undefined }) });
  const make = (): void => setWords({ make: '1' });
  useKeys([
    { keys: 'n', label: 'make a data set', run: make },
    { keys: 'Escape', label: 'close what is open', run: () => setWords({ at: undefined, make: undefined }) },
  ]);
  const chosen = isMaking ? undefined : datasets.find((dataset) => refOf(dataset) === at);
  return (
    <Page
      title="Data"
      command={chosen === undefined ? 'data sets list' : `data sets show ${refOf(chosen)}`}
      actions={
        <button type="button" className="primary" onClick={make} disabled={isMaking}>
          Make a data set
        </button>
      }
    >
      {error !== null && data === undefined && <Refused error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading rows={6} />}
      {data !== undefined && (
        <div className={`split${isMaking || chosen !== undefined ? ' open' : ''}`}>
          {datasets.length === 0 ? (
            <Empty title="There is no data set yet." command="data sets make chats --min-rating 0.75">
              A version is made from what was recorded and never changes. From what people liked:
            </Empty>
          ) : (
            <DatasetTable
              datasets={datasets}
              at={isMaking ? undefined : at}
              onOpen={(ref) => setWords({ at: ref, make: undefined })}
            />
          )}
          {isMaking && (
            <aside aria-label="Make a data set">
              <MakeDataset onMade={(ref) => setWords({ at: ref })} />
            </aside>
          )}
          {chosen !== undefined && (
            <aside aria-label={refOf(chosen)}>
              <DatasetDetail key={refOf(chosen)} dataset={chosen} />
            </aside>
          )}
        </div>
      )}
    </Page>
  );
}

interface DatasetTableProps {
  datasets: readonly DatasetVersion[];
  at: string | undefined;
  onOpen: (ref: string) => void;
}

function DatasetTable({ datasets, at, onOpen }: DatasetTableProps): ReactNode {
  return (
    <div className="scroll-x" tabIndex={0} role="group" aria-label="Data sets">
      <table>
        <thead>
          <tr>
            <th>Data set</th>
            <th className="number">Rows</th>
            <th>Splits</th>
            <th>Use</th>
            <th className="number">Made</th>
          </tr>
        </thead>
        <tbody>
          {datasets.map((dataset) => {
            const ref = refOf(dataset);
            return (
              <tr key={ref} className={ref === at ? 'at' : ''}>
                <td className="nowrap">
                  <button type="button" className="quiet link" onClick={() => onOpen(ref)} aria-pressed={ref === at}>
                    {ref}
                  </button>
                </td>
                <td className="number">{writeCount(dataset.row_count)}</td>
                <td className="soft nowrap">{writeSplits(dataset)}</td>
                <td className="nowrap">
                  {dataset.is_held_out ? (
                    <>
                      <Mark shape="square" tone="warn" /> held out
                    </>
                  ) : (
                    'training'
                  )}
                </td>
                <td className="number soft nowrap">{writeMoment(dataset.created_at)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
