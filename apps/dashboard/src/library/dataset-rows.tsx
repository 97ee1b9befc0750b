import type { DataRecord } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { writeCount, writeNumber } from '../parts/format.ts';
import { Loading, Refused } from '../parts/states.tsx';
import { useWords } from '../shell/use-search.ts';
import { datasetRowsQuery } from './queries.ts';

const PAGE = 50;

/** The first rows of a version, as many as the address says. */
export function DatasetRows({ name, total }: { name: string; total: number }): ReactNode {
  const [words, setWords] = useWords();
  const count = Math.max(PAGE, Number(words['rows'] ?? PAGE) || PAGE);
  const { data, error, refetch, isFetching } = useQuery(datasetRowsQuery(name, count));
  if (error !== null && data === undefined) return <Refused error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={6} />;
  return (
    <div className="stack">
      <ul className="data-rows">
        {data.map((row) => (
          <li key={row.id}>
            <p className="row soft">
              <span className="mono cut">{row.id}</span>
              <span>{row.split}</span>
              <span>weight {writeNumber(row.weight)}</span>
              {row.trajectory_id !== null && (
                <Link to="/trajectories/$trajectory" params={{ trajectory: row.trajectory_id }}>
                  its trajectory
                </Link>
              )}
            </p>
            {listParts(row).map(([who, text], index) => (
              <p key={index} className="said">
                <span className="soft">{who}</span>
                <span className="wrap">{text}</span>
              </p>
            ))}
          </li>
        ))}
      </ul>
      {data.length < total && (
        <button type="button" disabled={isFetching} onClick={() => setWords({ rows: String(count + PAGE) })}>
          {writeCount(PAGE)} more of {writeCount(total - data.length)}
        </button>
      )}
    </div>
  );
}

type Part = readonly [who: string, text: string];

/** Who says what in a row; of a pair the question, then both replies. */
function listParts(row: DataRecord): Part[] {
  if (row.kind === 'conversation') return row.messages.map((message) => [message.role, textOf(message.content)]);
  const say = (who: string, messages: readonly { content?: unknown }[]): Part[] =>
    messages.map(({ content }) => [who, textOf(content)]);
  return [
    ...row.prompt.map((message): Part => [message.role, textOf(message.content)]),
    ...say('preferred', row.chosen),
    ...say('rejected', row.rejected),
  ];
}

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : content === null || content === undefined ? '–' : JSON.stringify(content);
