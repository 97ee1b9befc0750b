import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { writeCount, writeMoment } from '../../parts/format.ts';
import { Mark } from '../../parts/mark.tsx';
import { Empty, Loading, Refused } from '../../parts/states.tsx';
import { useWords } from '../../shell/use-search.ts';
import { auditCheckQuery, auditQuery } from '../queries.ts';

/** Whether the audit log is as it was written, and its newest lines. */
export function SystemAudit(): ReactNode {
  const [words, setWords] = useWords();
  const isRefused = words['refused'] === 'true';
  const { data, error, refetch } = useQuery(auditQuery(isRefused));
  return (
    <>
      <Chain />
      <label className="check">
        <input
          type="checkbox"
          checked={isRefused}
          onChange={({ target }) => setWords({ refused: target.checked ? 'true' : undefined })}
        />
        Only what was refused
      </label>
      {error !== null && data === undefined && <Refused error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading rows={6} />}
      {data?.lines.length === 0 && (
        <Empty title={isRefused ? 'Nothing was refused.' : 'Nothing was written down yet.'} command="audit list" />
      )}
      {data !== undefined && data.lines.length > 0 && (
        <div className="scroll-x" tabIndex={0} role="group" aria-label="Audit log">
          <table>
            <thead>
              <tr>
                <th className="number">Line</th>
                <th className="number">When</th>
                <th>What</th>
                <th>Result</th>
                <th className="number">Times</th>
                <th>From</th>
                <th>Token</th>
                <th>About</th>
              </tr>
            </thead>
            <tbody>
              {data.lines.toReversed().map((line) => (
                <tr key={line.cursor}>
                  <td className="number mono">{line.cursor}</td>
                  <td className="number soft nowrap">{writeMoment(line.at)}</td>
                  <td className="mono nowrap">{line.action}</td>
                  <td className="nowrap">
                    <Mark
                      {...(line.result === 'ok' ? { shape: 'tick', tone: 'good' } : { shape: 'cross', tone: 'bad' })}
                    />{' '}
                    {line.result}
                  </td>
                  <td className="number">{writeCount(line.count)}</td>
                  <td className="mono nowrap">{line.from}</td>
                  <td className="mono nowrap">{line.token_id?.slice(0, 8) ?? '–'}</td>
                  <td className="mono wide">
                    {Object.entries(line.things)
                      .map(([name, id]) => `${name} ${id}`)
                      .join(', ') || '–'}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

/** The chain is read line by line, so it is asked for once and again when somebody wants to know. */
function Chain(): ReactNode {
  const { data, error, refetch, isFetching } = useQuery(auditCheckQuery());
  if (error !== null && data === undefined) return <Refused error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={1} label="Reading every line of the audit log" />;
  return (
    <div className={`note row${data.is_whole ? '' : ' bad'}`} role="status">
      <Mark {...(data.is_whole ? { shape: 'tick', tone: 'good' } : { shape: 'cross', tone: 'bad' })} />
      <span>
        {data.fault === null
          ? `The chain is whole, from the first to the last of its lines: ${writeCount(data.lines)}.`
          : `Line ${data.fault.cursor}: ${data.fault.reason}.`}
      </span>
      {data.hash !== null && <span className="mono soft wrap">{data.hash.slice(0, 16)}…</span>}
      <button type="button" onClick={() => void refetch()} disabled={isFetching}>
        Check again
      </button>
    </div>
  );
}
