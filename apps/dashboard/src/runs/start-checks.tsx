import type { EnvironmentCheck, RunEstimate } from '@lachesis/protocol';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { estimateQuery, healthQuery } from '../api/queries.ts';
import { requestJson } from '../api/request.ts';
import { writeCount, writeDuration, writeMoney } from '../parts/format.ts';
import { Mark, type MarkShape, type Tone } from '../parts/mark.tsx';
import { Loading, Refused } from '../parts/states.tsx';

const VERDICTS: Readonly<Record<'ok' | 'open' | 'wrong', readonly [MarkShape, Tone]>> = {
  ok: ['tick', 'good'],
  open: ['dash', 'plain'],
  wrong: ['cross', 'bad'],
};

/** What the run may take, and what can be known before it starts. */
export function StartChecks({ environment }: { environment: string | undefined }): ReactNode {
  const { data, error } = useQuery({ ...estimateQuery(), enabled: environment !== undefined, retry: false });
  const { data: health } = useQuery(healthQuery());
  return (
    <aside className="stack start-side" aria-label="Before it starts">
      <section className="stack">
        <h2>Estimate</h2>
        {environment === undefined && <p className="soft">Choose an environment first.</p>}
        {environment !== undefined && data === undefined && error === null && <Loading rows={3} />}
        {error !== null && <Refused error={error} />}
        {environment !== undefined && data !== undefined && <Estimate estimate={data} />}
      </section>
      <section className="stack">
        <h2>Before it starts</h2>
        <p>
          {health?.engine === undefined || health.engine === 'none' ? (
            <>
              <Mark shape="cross" tone="bad" /> No engine: <code>lachesis engine up</code> makes one.
            </>
          ) : (
            <>
              <Mark
                shape={health.engine === 'away' ? 'triangle' : 'tick'}
                tone={health.engine === 'away' ? 'warn' : 'good'}
              />{' '}
              Engine {health.engine}
            </>
          )}
        </p>
        {environment !== undefined && <EnvironmentChecks key={environment} environment={environment} />}
        <p className="soft">
          Model, tokenizer, one scored rollout and the disk are checked when it starts; what fails ends it before it
          costs anything.
        </p>
      </section>
    </aside>
  );
}

function Estimate({ estimate }: { estimate: RunEstimate }): ReactNode {
  const { seconds, seconds_low: low, seconds_high: high, cost } = estimate;
  const span =
    seconds === null
      ? 'not known: no run of this size has ended'
      : low === undefined || low === null || high === undefined || high === null || low === high
        ? writeDuration(seconds)
        : `${writeDuration(low)} to ${writeDuration(high)}`;
  return (
    <dl className="estimate">
      <dt>Steps</dt>
      <dd>{writeCount(estimate.steps)}</dd>
      <dt>Rollouts</dt>
      <dd>{writeCount(estimate.rollouts)}</dd>
      <dt>Tokens, at most</dt>
      <dd>{writeCount(estimate.tokens)}</dd>
      <dt>Time</dt>
      <dd>{span}</dd>
      <dt>Cost</dt>
      <dd>{cost === null ? 'not known: no price' : writeMoney(cost)}</dd>
    </dl>
  );
}

function EnvironmentChecks({ environment }: { environment: string }): ReactNode {
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () =>
      requestJson<EnvironmentCheck>(`/environments/${encodeURIComponent(environment)}/check`, {
        method: 'POST',
        body: {},
      }),
  });
  return (
    <div className="stack">
      <button type="button" onClick={() => mutate()} disabled={isPending}>
        {isPending ? 'Checking' : 'Check the environment'}
      </button>
      {error !== null && <Refused error={error} />}
      {data !== undefined && (
        <ul className="checks">
          {data.lines.map(({ name, verdict, detail }) => (
            <li key={name}>
              <Mark shape={VERDICTS[verdict][0]} tone={VERDICTS[verdict][1]} />
              <span>
                {name} <span className="soft">{detail}</span>
                <span className="visually-hidden">{verdict}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
