import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { healthQuery } from '../api/queries.ts';
import { Mark } from '../parts/mark.tsx';

/** Whether the server answers, always in view: the page is only as new as its last answer. */
export function ServerState(): ReactNode {
  const { data, error, dataUpdatedAt } = useQuery(healthQuery());
  if (error !== null) {
    const since = dataUpdatedAt === 0 ? '' : ` since ${new Date(dataUpdatedAt).toLocaleTimeString()}`;
    return (
      <p className="server-state" role="status">
        <Mark shape="cross" tone="bad" /> no answer{since}
      </p>
    );
  }
  if (data === undefined) return <p className="server-state soft">asking the server</p>;
  const engine = data.engine === undefined || data.engine === 'none' ? 'no engine' : `engine ${data.engine}`;
  return (
    <p className="server-state" role="status">
      <Mark shape={data.status === 'ok' ? 'dot' : 'triangle'} tone={data.status === 'ok' ? 'good' : 'warn'} />
      {data.status === 'ok' ? 'server ok' : 'server impaired'}
      <span className="soft">{engine}</span>
    </p>
  );
}
