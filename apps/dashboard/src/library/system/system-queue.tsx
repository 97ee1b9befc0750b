import { isFinalRunState } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { runsQuery } from '../../api/queries.ts';
import { writeCount, writeMoment } from '../../parts/format.ts';
import { Mark } from '../../parts/mark.tsx';
import { Loading, Refused } from '../../parts/states.tsx';
import { RunLedger } from '../../runs/run-ledger.tsx';
import { jobsQuery, leasesQuery } from '../queries.ts';

/** What waits: groups of runs, items of jobs; and who holds what now. */
export function SystemQueue(): ReactNode {
  return (
    <>
      <Groups />
      <Jobs />
      <Leases />
    </>
  );
}

function Groups(): ReactNode {
  const { data, error } = useQuery(runsQuery({ limit: 100 }));
  const moving = (data?.runs ?? []).filter(({ status }) => !isFinalRunState(status));
  return (
    <section className="stack">
      <h2>Groups of runs</h2>
      {error !== null && data === undefined && <Refused error={error} />}
      {data === undefined && error === null && <Loading rows={2} />}
      {data !== undefined && moving.length === 0 && <p className="soft">No run is under way, so no group waits.</p>}
      {moving.map(({ run_id: run }) => (
        <div key={run} className="stack">
          <Link to="/runs/$run" params={{ run }} search={{ view: 'why' }} className="mono">
            {run}
          </Link>
          <RunLedger run={run} isEnded={false} />
        </div>
      ))}
    </section>
  );
}

function Jobs(): ReactNode {
  const { data, error } = useQuery(jobsQuery());
  return (
    <section className="stack">
      <h2>Jobs</h2>
      {error !== null && data === undefined && <Refused error={error} />}
      {data === undefined && error === null && <Loading rows={2} />}
      {data?.jobs.length === 0 && (
        <p className="soft">
          No job was made. <code>lachesis batch</code> makes one.
        </p>
      )}
      {data !== undefined && data.jobs.length > 0 && (
        <div className="scroll-x" tabIndex={0} role="group" aria-label="Jobs">
          <table>
            <thead>
              <tr>
                <th>Job</th>
                <th>State</th>
                <th className="number">Ready</th>
                <th className="number">Leased</th>
                <th className="number">Done</th>
                <th className="number">Failed</th>
                <th className="number">Made</th>
              </tr>
            </thead>
            <tbody>
              {data.jobs.map(({ name, is_worked_on: isWorkedOn, counts, created_at: madeAt }) => (
                <tr key={name}>
                  <td className="mono nowrap">{name}</td>
                  <td className="nowrap">
                    <Mark {...(isWorkedOn ? { shape: 'dot', tone: 'accent' } : { shape: 'square' })} />{' '}
                    {isWorkedOn ? 'worked on' : 'rests'}
                  </td>
                  <td className="number">{writeCount(counts.ready)}</td>
                  <td className="number">{writeCount(counts.leased)}</td>
                  <td className="number">{writeCount(counts.done)}</td>
                  <td className="number">{writeCount(counts.failed)}</td>
                  <td className="number soft nowrap">{writeMoment(madeAt)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Leases(): ReactNode {
  const { data, error } = useQuery(leasesQuery());
  return (
    <section className="stack">
      <h2>Leases</h2>
      {error !== null && data === undefined && <Refused error={error} />}
      {data === undefined && error === null && <Loading rows={2} />}
      {data?.leases.length === 0 && <p className="soft">Nobody holds anything now.</p>}
      {data !== undefined && data.leases.length > 0 && (
        <div className="scroll-x" tabIndex={0} role="group" aria-label="Leases">
          <table>
            <thead>
              <tr>
                <th>What</th>
                <th>Of</th>
                <th>Held by</th>
                <th className="number">Changed hands</th>
                <th className="number">Until</th>
              </tr>
            </thead>
            <tbody>
              {data.leases.map(({ kind, resource, holder, epoch, expires_at: until }) => (
                <tr key={`${kind} ${resource}`}>
                  <td>{kind}</td>
                  <td className="mono nowrap">{resource}</td>
                  <td className="mono nowrap">{holder}</td>
                  <td className="number">{epoch}</td>
                  <td className="number soft nowrap">{writeMoment(until)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
