import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { runEventsQuery } from '../api/queries.ts';
import { writeMoment, writeValue } from '../parts/format.ts';
import { Empty, Loading, Refused } from '../parts/states.tsx';

/** The history of a run, the newest first. Each line carries the hash of the one before it. */
export function RunEvents({ run }: { run: string }): ReactNode {
  const { data, error, refetch } = useQuery(runEventsQuery(run));
  if (error !== null && data === undefined) return <Refused error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={6} />;
  if (data.events.length === 0) return <Empty title="Nothing has happened yet." />;
  return (
    <div className="scroll-x" tabIndex={0} role="group" aria-label="Events">
      <table>
        <thead>
          <tr>
            <th>When</th>
            <th>What</th>
            <th>With</th>
            <th>Hash</th>
          </tr>
        </thead>
        <tbody>
          {data.events.toReversed().map(({ cursor, at, kind, data: facts, hash }) => (
            <tr key={cursor}>
              <td className="soft nowrap">{writeMoment(at)}</td>
              <td className="nowrap">{kind}</td>
              <td className="mono wide">{describeFacts(facts)}</td>
              <td className="mono soft" title={hash}>
                {hash.slice(0, 8)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const describeFacts = (facts: unknown): string =>
  typeof facts === 'object' && facts !== null
    ? Object.entries(facts)
        .map(([name, value]) => `${name} ${writeValue(value)}`)
        .join(' · ')
    : writeValue(facts);
