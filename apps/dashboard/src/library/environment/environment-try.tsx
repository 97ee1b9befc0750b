import type { InferenceTest } from '@lachesis/protocol';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { requestJson } from '../../api/request.ts';
import { writeNumber } from '../../parts/format.ts';
import { Mark } from '../../parts/mark.tsx';
import { Loading, Refused } from '../../parts/states.tsx';
import { useWords } from '../../shell/use-search.ts';
import { SelectFirst, useSelection } from './environment-settings.tsx';

const AGAIN_MS = 1_000;

/** One prompt to whoever answers, and what the verifier of the environment says of the reply. */
export function EnvironmentTry({ name }: { name: string }): ReactNode {
  const [words, setWords] = useWords();
  const { config, isSelected } = useSelection(name);
  const [prompt, setPrompt] = useState(words['prompt'] ?? '');
  const [expected, setExpected] = useState(words['expected'] ?? '');
  const asking = useMutation({
    mutationFn: () =>
      requestJson<InferenceTest>('/test/inference', {
        method: 'POST',
        body: { prompts: [prompt], expected: [expected === '' ? null : expected] },
      }),
  });
  const first = asking.data;
  const later = useQuery({
    queryKey: ['test', first?.test_id],
    queryFn: ({ signal }) => requestJson<InferenceTest>(`/test/inference/${first?.test_id}`, { signal }),
    enabled: first?.status === 'running',
    refetchInterval: ({ state: { data } }) => (data?.status === 'running' ? AGAIN_MS : false),
  });
  if (config.error !== null && config.data === undefined) return <Refused error={config.error} />;
  if (config.data === undefined) return <Loading rows={4} />;
  if (!isSelected) return <SelectFirst name={name} why="A prompt is scored by the environment of the next run." />;
  const test = later.data ?? first;
  const isWaiting = asking.isPending || test?.status === 'running';
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        setWords({ prompt, expected: expected === '' ? undefined : expected });
        asking.mutate();
      }}
    >
      <label className="field">
        <span>Prompt</span>
        <textarea rows={3} value={prompt} onChange={({ target }) => setPrompt(target.value)} required />
      </label>
      <label className="field">
        <span>The right answer, where you know it</span>
        <input value={expected} onChange={({ target }) => setExpected(target.value)} />
      </label>
      <button type="submit" className="primary" disabled={isWaiting || prompt.trim() === ''}>
        {isWaiting ? 'Asking…' : 'Ask'}
      </button>
      {asking.error !== null && <Refused error={asking.error} />}
      {isWaiting && <Loading rows={2} label="Waiting for the reply" />}
      {test !== undefined && !isWaiting && <Verdict test={test} />}
    </form>
  );
}

function Verdict({ test }: { test: InferenceTest }): ReactNode {
  if (test.error !== undefined) {
    return (
      <p className="note bad" role="alert">
        <Mark shape="cross" tone="bad" /> {test.error}
      </p>
    );
  }
  return (
    <div className="stack" role="status">
      {(test.results ?? []).map(({ prompt, response, score, reason }) => (
        <article key={prompt} className="moving">
          <p className="row">
            {score === null ? (
              <>
                <Mark shape="dash" /> <b>no score</b>
              </>
            ) : (
              <>
                <Mark shape="dot" tone="accent" /> <b>score {writeNumber(score)}</b>
              </>
            )}
            {reason !== null && <span className="wrap">{reason}</span>}
          </p>
          <p className="wrap reply">{response ?? 'No reply came.'}</p>
        </article>
      ))}
      <p className="soft">{test.summary.message}</p>
    </div>
  );
}
