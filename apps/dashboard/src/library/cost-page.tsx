import '../runs/runs.css';
import './library.css';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { writeCount, writeMoney } from '../parts/format.ts';
import { Mark } from '../parts/mark.tsx';
import { Empty, Loading, Partial, Refused } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Facts } from '../reading/facts.tsx';
import { Page } from '../shell/page.tsx';
import { useRows } from '../shell/use-rows.ts';
import { useWords } from '../shell/use-search.ts';
import { costsQuery, type CostBy, type Costs } from './queries.ts';

const VIEWS = [
  ['model', 'By model'],
  ['run', 'By run'],
  ['day', 'By day'],
] as const;
const SPANS = [
  ['', 'always'],
  ['1', 'the last day'],
  ['7', 'the last 7 days'],
  ['30', 'the last 30 days'],
] as const;
const DAY_MS = 86_400_000;

/** What recorded calls have cost. What has no price is counted as such, and not as nothing. */
export function CostPage(): ReactNode {
  const [words, setWords] = useWords();
  const navigate = useNavigate();
  const by = VIEWS.find(([view]) => view === words['by'])?.[0] ?? 'model';
  const days = Number(words['days'] ?? 0) || 0;
  // Whole minutes, so that the same question is asked again and not a new one each time the page is drawn.
  const since = days === 0 ? undefined : Math.floor(Date.now() / 60_000) * 60_000 - days * DAY_MS;
  const { data, error, refetch } = useQuery(costsQuery(by, since));
  const rows = data?.rows ?? [];
  const at = useRows({
    ids: rows.map(({ group }) => group ?? ''),
    onOpen: (group) => by !== 'day' && void navigate({ to: '/trajectories', search: { [by]: group } }),
  });
  return (
    <Page title="Cost" command={`trajectories stats --by ${by}${days === 0 ? '' : ` --since ${days}d`}`}>
      <label className="row beside">
        <span className="soft">Since</span>
        <select value={words['days'] ?? ''} onChange={({ target }) => setWords({ days: target.value })}>
          {SPANS.map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {error !== null && data === undefined && <Refused error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading rows={6} />}
      {data !== undefined && (
        <>
          <Facts
            facts={[
              ['Cost', <Money sums={data.total} />],
              ['Trajectories', data.total.trajectories],
              ['Turns', data.total.turns],
              ['Tokens written', data.total.completion_tokens],
              ['Without a price', data.total.without_cost],
            ]}
          />
          {data.total.without_cost > 0 && (
            <Partial>
              {writeCount(data.total.without_cost)} of {writeCount(data.total.trajectories)} trajectories have no price:
              they are in no sum, and cost more than nothing. Prices come from <code>prices.yaml</code>.
            </Partial>
          )}
          <Tabs<CostBy> label="Put together by" name="by" views={VIEWS} open={by} />
          {rows.length === 0 ? (
            <Empty title="Nothing was recorded in this time." command="up">
              Calls that go through its gateway are recorded with what they cost:
            </Empty>
          ) : (
            <CostTable by={by} rows={rows} at={at} />
          )}
        </>
      )}
    </Page>
  );
}

function CostTable({ by, rows, at }: { by: CostBy; rows: Costs['rows']; at: string | undefined }): ReactNode {
  const most = Math.max(...rows.map(({ cost }) => cost ?? 0));
  return (
    <div className="scroll-x" tabIndex={0} role="group" aria-label="Costs">
      <table>
        <thead>
          <tr>
            <th>{by === 'model' ? 'Model' : by === 'run' ? 'Run' : 'Day (UTC)'}</th>
            <th className="number">Trajectories</th>
            <th className="number">Turns</th>
            <th className="number">Tokens written</th>
            <th className="number">Without a price</th>
            <th className="number">Cost</th>
            <td className="bar-head" />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.group ?? ''} className={(row.group ?? '') === at ? 'at' : ''}>
              <td className="mono nowrap">
                {row.group === null ? (
                  <span className="soft">{by === 'run' ? 'outside a run' : 'not named'}</span>
                ) : by === 'day' ? (
                  row.group
                ) : (
                  <Link to="/trajectories" search={{ [by]: row.group }}>
                    {row.group}
                  </Link>
                )}
              </td>
              <td className="number">{writeCount(row.trajectories)}</td>
              <td className="number">{writeCount(row.turns)}</td>
              <td className="number">{writeCount(row.completion_tokens)}</td>
              <td className="number">{writeCount(row.without_cost)}</td>
              <td className="number">
                <Money sums={row} />
              </td>
              <td className="bar-cell">
                {row.cost !== null && most > 0 && (
                  <progress
                    value={row.cost}
                    max={most}
                    aria-label={`${row.group ?? 'not named'}: ${writeMoney(row.cost)}`}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A sum of dollars; what nobody knows the price of says so. */
export function Money({
  sums: { cost, without_cost: without },
}: {
  sums: Pick<Costs['total'], 'cost' | 'without_cost'>;
}): ReactNode {
  if (cost === null) return <span className="soft">unknown</span>;
  return (
    <span className="nowrap">
      {without > 0 && (
        <>
          <Mark shape="half" /> <span className="soft">at least </span>
        </>
      )}
      {writeMoney(cost)}
    </span>
  );
}
