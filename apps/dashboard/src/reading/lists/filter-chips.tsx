import type { TrajectoryFilter } from '@lachesis/protocol';
import { useEffect, useState, type ReactNode } from 'react';
import type { TrajectoryOrder } from '../queries.ts';

type Kind = 'text' | 'number' | 'boolean';

/** What a list can be narrowed by, as the server names it. */
const FIELDS: readonly { name: keyof TrajectoryFilter; label: string; kind: Kind }[] = [
  { name: 'model', label: 'model', kind: 'text' },
  { name: 'source', label: 'source', kind: 'text' },
  { name: 'run', label: 'run', kind: 'text' },
  { name: 'user', label: 'user', kind: 'text' },
  { name: 'tool', label: 'tool called', kind: 'text' },
  { name: 'tag', label: 'tag', kind: 'text' },
  { name: 'outcome', label: 'outcome', kind: 'text' },
  { name: 'split', label: 'split', kind: 'text' },
  { name: 'min_reward', label: 'reward from', kind: 'number' },
  { name: 'max_reward', label: 'reward up to', kind: 'number' },
  { name: 'min_rating', label: 'rating from', kind: 'number' },
  { name: 'max_rating', label: 'rating up to', kind: 'number' },
  { name: 'min_turns', label: 'turns from', kind: 'number' },
  { name: 'max_turns', label: 'turns up to', kind: 'number' },
  { name: 'has_error', label: 'has an error', kind: 'boolean' },
  { name: 'has_feedback', label: 'has feedback', kind: 'boolean' },
  { name: 'has_tokens', label: 'has tokens', kind: 'boolean' },
];

/** The filter that an address holds. */
export function readFilter(search: Readonly<Partial<Record<string, string>>>): TrajectoryFilter {
  const filter: Record<string, string | number | boolean> = {};
  if (search['text'] !== undefined && search['text'] !== '') filter['text'] = search['text'];
  for (const { name, kind } of FIELDS) {
    const text = search[name];
    if (text === undefined || text === '') continue;
    const value = kind === 'number' ? Number(text) : kind === 'boolean' ? text === 'true' : text;
    if (typeof value !== 'number' || Number.isFinite(value)) filter[name] = value;
  }
  return filter;
}

/** The same filter as flags of the command. */
export function writeFilterFlags(filter: TrajectoryFilter): string {
  return Object.entries(filter)
    .map(([name, value]) => {
      const flag = `--${name.replaceAll('_', '-')}`;
      return ` ${flag} ${/^[\w.:@/-]+$/.test(String(value)) ? String(value) : JSON.stringify(value)}`;
    })
    .join('');
}

interface FilterChipsProps {
  filter: TrajectoryFilter;
  order: TrajectoryOrder;
  orders: readonly TrajectoryOrder[];
  onChange: (next: Record<string, string | undefined>) => void;
}

/** A search, what narrows the list as chips that can be taken away, and a way to add one. */
export function FilterChips({ filter, order, orders, onChange }: FilterChipsProps): ReactNode {
  const [text, setText] = useState(filter.text ?? '');
  const [adding, setAdding] = useState<(typeof FIELDS)[number] | undefined>();
  const [value, setValue] = useState('');
  useEffect(() => setText(filter.text ?? ''), [filter.text]);
  const set = FIELDS.filter(({ name }) => filter[name] !== undefined);
  return (
    <form
      className="filters"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (adding === undefined) return onChange({ text: text === '' ? undefined : text });
        onChange({ [adding.name]: value === '' ? undefined : value });
        setAdding(undefined);
        setValue('');
      }}
    >
      <input
        id="search"
        type="search"
        placeholder="Search what was said  /"
        aria-label="Search what was said"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          if (target.value === '') onChange({ text: undefined });
        }}
      />
      {set.map(({ name, label }) => (
        <span className="chip" key={name}>
          {label} {String(filter[name])}
          <button
            type="button"
            className="quiet"
            aria-label={`Without ${label}`}
            onClick={() => onChange({ [name]: undefined })}
          >
            ×
          </button>
        </span>
      ))}
      <select
        id="filter"
        aria-label="Add a filter"
        value={adding?.name ?? ''}
        onChange={({ target }) => {
          const field = FIELDS.find(({ name }) => name === target.value);
          if (field?.kind === 'boolean') onChange({ [field.name]: 'true' });
          else setAdding(field);
        }}
      >
        <option value="">Filter…</option>
        {FIELDS.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
      {adding !== undefined && (
        <span className="chip">
          {adding.label}
          <input
            aria-label={adding.label}
            autoFocus
            inputMode={adding.kind === 'number' ? 'decimal' : 'text'}
            value={value}
            onChange={({ target }) => setValue(target.value)}
          />
          <button type="submit" className="quiet">
            add
          </button>
        </span>
      )}
      <select aria-label="Order" value={order} onChange={({ target }) => onChange({ order: target.value })}>
        {orders.map((each) => (
          <option key={each} value={each}>
            {each === 'updated' ? 'last changed first' : `${each} first`}
          </option>
        ))}
      </select>
    </form>
  );
}
