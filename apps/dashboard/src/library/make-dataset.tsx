import type { DatasetMade } from '@lachesis/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { requestJson } from '../api/request.ts';
import { CommandLine } from '../parts/command-line.tsx';
import { writeCount } from '../parts/format.ts';
import { Mark } from '../parts/mark.tsx';
import { Refused } from '../parts/states.tsx';
import { readFilter, writeFilterFlags } from '../reading/lists/filter-chips.tsx';
import type { Search } from '../shell/search.ts';
import { useWords } from '../shell/use-search.ts';
import { readMaking, writeMakingFlags } from './making.ts';

/** A version from what was recorded. The whole form stands in the address, and so in the line below it. */
export function MakeDataset({ onMade }: { onMade: (ref: string) => void }): ReactNode {
  const [address, setAddress] = useWords();
  // What is typed is drawn at once; the address follows a moment later.
  const [words, keepWords] = useState(address);
  const setWords = (change: Search): void => {
    keepWords((before) => ({ ...before, ...change }));
    setAddress(change);
  };
  const queries = useQueryClient();
  const name = words['name'] ?? '';
  const filter = readFilter(words);
  const making = readMaking(words);
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () =>
      requestJson<DatasetMade>(`/v1/datasets/${encodeURIComponent(name)}/make`, {
        method: 'POST',
        body: { filter, ...making },
      }),
    onSuccess: async ({ dataset }) => {
      onMade(`${dataset.name}@${dataset.version}`);
      await queries.invalidateQueries({ queryKey: ['datasets'] });
    },
  });
  const text = (word: string, label: string, hint = ''): ReactNode => (
    <label className="field">
      <span>{label}</span>
      <input
        value={words[word] ?? ''}
        placeholder={hint}
        onChange={({ target }) => setWords({ [word]: target.value === '' ? undefined : target.value })}
      />
    </label>
  );
  const choice = (word: string, label: string, options: readonly (readonly [string, string])[]): ReactNode => (
    <label className="field">
      <span>{label}</span>
      <select value={words[word] ?? ''} onChange={({ target }) => setWords({ [word]: target.value })}>
        {options.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
  const tick = (word: string, label: string): ReactNode => (
    <label className="check">
      <input
        type="checkbox"
        checked={words[word] === 'true'}
        onChange={({ target }) => setWords({ [word]: target.checked ? 'true' : undefined })}
      />
      {label}
    </label>
  );
  return (
    <form
      className="stack make"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <h2>Make a data set</h2>
      <label className="field">
        <span>Name; a new version is made each time</span>
        <input
          value={name}
          required
          autoFocus
          pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,99}"
          title="letters, digits, dots, dashes and underscores"
          onChange={({ target }) => setWords({ name: target.value === '' ? undefined : target.value })}
        />
      </label>
      <fieldset>
        <legend>From what was recorded</legend>
        {text('text', 'Words that were said')}
        {text('model', 'Model')}
        {text('tag', 'Tag')}
        {text('run', 'Run')}
        {text('min_rating', 'Rating from', '0 to 1')}
        {text('min_reward', 'Reward from')}
      </fieldset>
      <fieldset>
        <legend>Its rows</legend>
        {choice('kind', 'Kind', [
          ['', 'conversations'],
          ['preference', 'pairs from feedback'],
        ])}
        {choice('dedupe', 'Of rows that are the same', [
          ['', 'keep all'],
          ['whole', 'one that says the same'],
          ['prompt', 'one that asks the same'],
        ])}
        {text('split', 'Shares', 'train=0.9,test=0.1')}
        {choice('weights', 'Weight', [
          ['', 'the same for all'],
          ['reward', 'its reward'],
          ['rating', 'its rating'],
        ])}
      </fieldset>
      <div className="stack">
        {tick('complete', 'Leave out what was cut off or has no reply')}
        {tick('held', 'Hold it out: for measuring, in no export and no training set')}
        {tick('leave', 'Leave rows of held-out sets out instead of refusing')}
      </div>
      <CommandLine
        command={`data sets make ${name === '' ? '<name>' : name}${writeFilterFlags(filter)}${writeMakingFlags(words)}`}
      />
      {error !== null && <Refused error={error} />}
      {data !== undefined && <Made made={data} />}
      <div className="actions">
        <button type="button" onClick={() => setWords({ make: undefined })}>
          Close
        </button>
        <button type="submit" className="primary" disabled={isPending || name === ''}>
          {isPending ? 'Making…' : 'Make'}
        </button>
      </div>
    </form>
  );
}

function Made({ made: { dataset, dropped } }: { made: DatasetMade }): ReactNode {
  return (
    <div className="note stack" role="status">
      <p>
        <Mark shape="tick" tone="good" /> {dataset.name}@{dataset.version} has {writeCount(dataset.row_count)} rows.
      </p>
      {dropped.length > 0 && (
        <ul>
          {dropped.map(({ field, count, reason }) => (
            <li key={`${field} ${reason}`} className="wrap">
              left out {writeCount(count)} × {reason} <span className="soft mono">{field}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
