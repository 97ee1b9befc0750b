import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { writeCount, writeMoney } from '../parts/format.ts';
import { Loading } from '../parts/states.tsx';
import { costsQuery } from './queries.ts';

const DAY_MS = 86_400_000;

/** What the calls of today have cost, for the Now page. The day is that of UTC, as the server has it. */
export function CostToday(): ReactNode {
  const { data, isError } = useQuery(costsQuery('day', Math.floor(Date.now() / DAY_MS) * DAY_MS));
  return (
    <section className="stack">
      <h2>Cost today</h2>
      {isError && data === undefined ? (
        <p className="soft">The server does not say.</p>
      ) : data === undefined ? (
        <Loading rows={1} />
      ) : data.total.trajectories === 0 ? (
        <p className="soft">Nothing was recorded today.</p>
      ) : (
        <p className="row">
          <Link to="/cost" search={{ by: 'day' }}>
            {data.total.cost === null ? 'unknown' : writeMoney(data.total.cost)}
          </Link>
          <span className="soft">
            {writeCount(data.total.trajectories)} trajectories
            {data.total.without_cost === 0 ? '' : `, ${writeCount(data.total.without_cost)} without a price`}
          </span>
        </p>
      )}
    </section>
  );
}
