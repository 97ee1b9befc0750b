import type { RunProcessState, RunSummary } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { runQuery } from '../../api/queries.ts';
import { Mark, type MarkShape, type Tone } from '../../parts/mark.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { Loading, Refused } from '../../parts/states.tsx';
import { WhyLine } from '../../runs/run-why.tsx';

const SHOWN: Readonly<Partial<Record<RunProcessState, readonly [MarkShape, Tone]>>> = {
  running: ['dot', 'accent'],
  starting: ['half', 'accent'],
  dead: ['cross', 'bad'],
  stopping: ['half', 'warn'],
  waiting: ['ring', 'plain'],
};

/** The processes of one run, and why it waits where it does. */
export function RunStations({ run }: { run: RunSummary }): ReactNode {
  const { data, error } = useQuery(runQuery(run.run_id));
  return (
    <article className="moving">
      <p className="row">
        <StateWord state={run.status} />
        <Link to="/runs/$run" params={{ run: run.run_id }} className="mono">
          {run.run_id}
        </Link>
        <span className="cut">{run.environment}</span>
      </p>
      {error !== null && data === undefined && <Refused error={error} />}
      {data === undefined && error === null && <Loading rows={3} />}
      {data !== undefined && (
        <div className="scroll-x" tabIndex={0} role="group" aria-label={`Processes of ${run.run_id}`}>
          <table>
            <thead>
              <tr>
                <th>Process</th>
                <th>State</th>
                <th className="number">Pid</th>
                <th className="number">Port</th>
                <th className="number">Restarts</th>
                <th>Ended the last time</th>
              </tr>
            </thead>
            <tbody>
              {data.process_details.map(({ role, state, pid, port, restarts, reason }) => {
                const [shape, tone] = SHOWN[state] ?? ['square', 'plain'];
                return (
                  <tr key={role}>
                    <td>
                      <Link to="/runs/$run" params={{ run: run.run_id }} search={{ view: 'logs', role }}>
                        {role}
                      </Link>
                    </td>
                    <td className="nowrap">
                      <Mark shape={shape} tone={tone} /> {state}
                    </td>
                    <td className="number mono">{pid ?? '–'}</td>
                    <td className="number mono">{port ?? '–'}</td>
                    <td className="number">{restarts}</td>
                    <td className="wide">{reason ?? '–'}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      <WhyLine run={run.run_id} />
    </article>
  );
}
