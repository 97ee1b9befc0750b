import type { ConfigEditReply, ConfigField, ControlConfig } from '@lachesis/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useState, type ReactNode } from 'react';
import { requestJson } from '../api/request.ts';
import { writeValue } from '../parts/format.ts';

/** What stands apart from the settings of the task. */
const GROUPS: readonly (readonly [title: string, isIn: (name: string) => boolean])[] = [
  ['Ends by itself', (name) => ['max_steps', 'max_tokens', 'budget'].includes(name)],
  ['Weights & Biases', (name) => /^(?:use_)?wandb/.test(name)],
];
const ORDER = ['Settings', 'Ends by itself', 'Weights & Biases'];
const groupOf = (name: string): string => GROUPS.find(([, isIn]) => isIn(name))?.[0] ?? 'Settings';

/** The fields of the next run, made from what the server says of them. What is locked is shown as locked, with the reason. */
export function ConfigForm({ config }: { config: ControlConfig }): ReactNode {
  return (
    <>
      {ORDER.map((title) => {
        const fields = config.configurable_fields.filter(({ name }) => groupOf(name) === title);
        return fields.length === 0 ? null : (
          <section key={title} className="stack">
            <h2>{title}</h2>
            <div className="fields">
              {fields.map((field) => (
                <FieldEditor key={`${config.environment} ${field.name}`} field={field} />
              ))}
            </div>
          </section>
        );
      })}
      <details>
        <summary>
          <h2>Locked by the recipe{config.recipe === undefined ? '' : ` ${config.recipe}`}</h2>
          <span className="soft">{config.locked_fields.length} fields</span>
        </summary>
        <dl className="locked">
          {config.locked_fields.map((field) => (
            <div key={field.name} title={field.description}>
              <dt>
                <LockGlyph /> {field.name}
              </dt>
              <dd className="mono">{writeValue(field.current_value)}</dd>
              {typeof field['locked_because'] === 'string' && <dd className="soft">{field['locked_because']}</dd>}
            </div>
          ))}
        </dl>
      </details>
    </>
  );
}

function LockGlyph(): ReactNode {
  return (
    <svg viewBox="0 0 12 12" width="12" height="12" className="glyph" role="img" aria-label="locked">
      <path
        d="M3.5 5V3.5a2.5 2.5 0 0 1 5 0V5H9.5v5.5h-7V5h1Zm1.2 0h2.6V3.5a1.3 1.3 0 0 0-2.6 0V5Z"
        fill="currentColor"
      />
    </svg>
  );
}

function FieldEditor({ field }: { field: ConfigField }): ReactNode {
  const queries = useQueryClient();
  const id = useId();
  const [text, setText] = useState(() => toText(field.current_value));
  // A fork fills the form from outside; what is being typed meanwhile is not taken away before the server has it.
  const told = toText(field.current_value);
  useEffect(() => setText(told), [told]);
  const { mutate, error } = useMutation({
    mutationFn: (value: unknown) =>
      requestJson<ConfigEditReply>('/config', { method: 'POST', body: { field: field.name, value } }),
    onSuccess: async ({ config, value }) => {
      setText(toText(value));
      queries.setQueryData<ControlConfig>(['config'], config);
      await queries.invalidateQueries({ queryKey: ['config', 'estimate'] });
    },
  });
  const keep = (next: string): void => {
    setText(next);
    if (next !== toText(field.current_value)) mutate(toValue(next, field.type));
  };
  const choices = field.type.includes('|') ? field.type.split('|') : undefined;
  const isChanged = JSON.stringify(field.current_value) !== JSON.stringify(field.default);
  const shared = {
    id,
    'aria-describedby': `${id}-about`,
    'aria-invalid': error !== null,
  } as const;
  return (
    <div className={`field${isChanged ? ' changed' : ''}`}>
      <label htmlFor={id}>
        {field.name}
        {isChanged && <span className="soft"> · {writeValue(field.default)} in the recipe</span>}
      </label>
      {field.type === 'boolean' ? (
        <span className="check">
          <input
            {...shared}
            type="checkbox"
            checked={field.current_value === true}
            onChange={({ target }) => mutate(target.checked)}
          />
        </span>
      ) : choices !== undefined ? (
        <select {...shared} value={text} onChange={({ target }) => keep(target.value)}>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input
          {...shared}
          value={text}
          inputMode={field.type === 'integer' ? 'numeric' : field.type === 'number' ? 'decimal' : 'text'}
          placeholder={field.type}
          spellCheck={false}
          onChange={({ target }) => setText(target.value)}
          onBlur={({ target }) => keep(target.value)}
          onKeyDown={({ key, currentTarget }) => key === 'Enter' && keep(currentTarget.value)}
        />
      )}
      <span id={`${id}-about`} className={error === null ? 'soft about' : 'about bad'}>
        {error === null ? field.description : error.message}
      </span>
    </div>
  );
}

const toText = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** What was typed as a value of the field; what cannot be read is sent as it is, and the server says what is allowed. */
function toValue(text: string, type: string): unknown {
  if (text === '') return null;
  if (type === 'string' || type.includes('|')) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
