import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { runsQuery } from '../api/queries.ts';
import { listKeys } from './keys.ts';
import { Modal } from './modal.tsx';
import { NOUNS } from './nouns.ts';

interface Choice {
  kind: 'page' | 'run' | 'trajectory' | 'action';
  name: string;
  note: string;
  run: () => void;
}

const MOST = 12;

/** `⌘K`: pages, runs and trajectories by the beginning of their ids, and what can be done here. */
export function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  const { data } = useQuery(runsQuery({ limit: 200 }));
  // The keys of the page are those of the moment it was opened.
  const [actions] = useState(() => listKeys('page'));

  const choices = findChoices(text, [
    ...NOUNS.flat().map(({ to, name, key }): Choice => ({
      kind: 'page',
      name,
      note: `g ${key}`,
      run: () => void navigate({ to }),
    })),
    ...actions.map(({ label, keys, run }): Choice => ({ kind: 'action', name: label, note: keys, run })),
    { kind: 'action', name: 'start a run', note: '', run: () => void navigate({ to: '/start' }) },
    ...(data?.runs ?? []).map(({ run_id, environment, status }): Choice => ({
      kind: 'run',
      name: run_id,
      note: `${environment} · ${status}`,
      run: () => void navigate({ to: '/runs/$run', params: { run: run_id } }),
    })),
    ...(/^[0-9a-f]{6,}[-0-9a-f]*$/i.test(text)
      ? [
          {
            kind: 'trajectory' as const,
            name: text,
            note: 'open by id',
            run: () => void navigate({ to: '/trajectories/$trajectory', params: { trajectory: text } }),
          },
        ]
      : []),
  ]);
  const at = Math.min(chosen, Math.max(choices.length - 1, 0));
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  const choose = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    onClose();
    choice.run();
  };

  return (
    <Modal label="Search" className="palette" onClose={onClose}>
      <input
        autoFocus
        role="combobox"
        aria-label="Search pages, runs and actions"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={choices.length === 0 ? undefined : `${id}-${at}`}
        placeholder="Page, run or action"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
          if (step !== 0) {
            event.preventDefault();
            setChosen((at + step + choices.length) % Math.max(choices.length, 1));
          } else if (event.key === 'Enter') {
            event.preventDefault();
            choose(choices[at]);
          }
        }}
      />
      <ul id={id} role="listbox" aria-label="Found" ref={list}>
        {choices.map((choice, index) => (
          <li
            key={`${choice.kind} ${choice.name}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => choose(choice)}
            onPointerMove={() => setChosen(index)}
          >
            <span className="soft">{choice.kind}</span>
            <span className="cut">{choice.name}</span>
            <span className="soft cut">{choice.note}</span>
          </li>
        ))}
      </ul>
      {choices.length === 0 && <p className="soft">Nothing is called so.</p>}
    </Modal>
  );
}

/** What has all words in it; what begins with the text first. */
function findChoices(text: string, all: readonly Choice[]): Choice[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const begins = ({ name }: Choice): number => (name.toLowerCase().startsWith(words[0] ?? '') ? 0 : 1);
  return all
    .filter(({ kind, name, note }) => words.every((word) => `${kind} ${name} ${note}`.toLowerCase().includes(word)))
    .toSorted((left, right) => begins(left) - begins(right))
    .slice(0, MOST);
}
