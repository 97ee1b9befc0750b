import type { Wait, WhyReply } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { whyQuery } from '../api/queries.ts';
import { writeDuration, writeNumber } from '../parts/format.ts';
import { CommandLine } from '../parts/command-line.tsx';
import { Mark } from '../parts/mark.tsx';
import { Loading, Refused } from '../parts/states.tsx';

/** Why a run stands still, in one line above everything else; nothing while it moves. */
export function WhyLine({ run }: { run: string }): ReactNode {
  const { data } = useQuery(whyQuery(run, false));
  if (data === undefined || data.cause === 'none' || data.cause === 'run-ended') return null;
  return (
    <p className="note warn" role="status">
      <Mark shape="triangle" tone="warn" /> {data.message}
      {data.hint !== null && <span className="hint">{data.hint}</span>}
    </p>
  );
}

/** Who waits for whom, since when, and why it does not learn. */
export function RunWhy({ run, isEnded }: { run: string; isEnded: boolean }): ReactNode {
  const { data, error, refetch } = useQuery(whyQuery(run, isEnded));
  if (error !== null && data === undefined) return <Refused error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  const now = Date.now();
  const longest = Math.max(1, ...data.waits.map(({ since }) => now - (since ?? now)));
  return (
    <div className="stack why">
      <div>
        <h2>
          <Mark
            shape={data.cause === 'none' ? 'dot' : data.cause === 'run-ended' ? 'square' : 'triangle'}
            tone={data.cause === 'none' ? 'good' : 'warn'}
          />{' '}
          {data.message}
        </h2>
        {data.hint !== null && <p className="soft">{data.hint}</p>}
      </div>
      <section className="stack">
        <h3>Who waits for whom</h3>
        {data.waits.length === 0 ? (
          <p className="soft">Nobody waits.</p>
        ) : (
          <ul className="waits">
            {data.waits.map((wait) => (
              <WaitRow key={`${wait.who} ${wait.waits_for} ${wait.detail}`} wait={wait} now={now} longest={longest} />
            ))}
          </ul>
        )}
      </section>
      {(data.learning ?? []).length > 0 && <Findings why={data} />}
      <section className="stack">
        <h3>How late timers fire</h3>
        <dl className="facts">
          {Object.entries(data.event_loop_lag).map(([station, lag]) => (
            <div key={station}>
              <dt>{station}</dt>
              <dd>{lag === null ? 'not asked' : `${writeNumber(lag)} ms`}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  );
}

function WaitRow({ wait, now, longest }: { wait: Wait; now: number; longest: number }): ReactNode {
  const waitedMs = now - (wait.since ?? now);
  return (
    <li>
      <span className="wait-edge">
        <b>{wait.who}</b>
        {/* The longer the wait, the thicker the line. */}
        <span className="wait-line" style={{ height: 1 + Math.round((waitedMs / longest) * 5) }} aria-hidden="true" />
        <span className="visually-hidden">waits for</span>
        <b>{wait.waits_for}</b>
      </span>
      <span className="number">{wait.since === null ? '–' : writeDuration(waitedMs / 1_000)}</span>
      <span className="soft">
        {wait.detail}
        {wait.holding !== null && ` · holds ${wait.holding}`}
      </span>
    </li>
  );
}

function Findings({ why }: { why: WhyReply }): ReactNode {
  return (
    <section className="stack">
      <h3>Why it does not learn</h3>
      {(why.learning ?? []).map(({ cause, message, facts, command }) => (
        <article key={cause} className="finding">
          <p>
            <b>{cause}</b> {message}
          </p>
          <p className="soft mono">
            {Object.entries(facts)
              .map(([name, value]) => `${name} ${writeNumber(value)}`)
              .join(' · ')}
          </p>
          <CommandLine command={command.replace(/^lachesis /, '')} />
        </article>
      ))}
    </section>
  );
}
