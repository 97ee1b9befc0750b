import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { configQuery } from '../../api/queries.ts';
import { requestJson } from '../../api/request.ts';
import { writeValue } from '../../parts/format.ts';
import { Mark } from '../../parts/mark.tsx';
import { Loading, Refused } from '../../parts/states.tsx';

/** Chooses an environment for the next run; edits made for another one are forgotten, so it is asked for by name. */
export function useSelection(name: string) {
  const queries = useQueryClient();
  const config = useQuery(configQuery());
  const selection = useMutation({
    mutationFn: () => requestJson(`/environments/${encodeURIComponent(name)}/select`, { method: 'POST', body: {} }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['config'] }),
  });
  return { config, selection, isSelected: config.data?.environment === name };
}

/** Says that another environment is the one of the next run, and changes it. */
export function SelectFirst({ name, why }: { name: string; why: string }): ReactNode {
  const { config, selection } = useSelection(name);
  const other = config.data?.environment ?? null;
  return (
    <div className="note stack">
      <p>
        {why}{' '}
        {other === null
          ? 'None is selected for the next run.'
          : `The next run has ${other}, whose edits are forgotten.`}
      </p>
      {selection.error !== null && <Refused error={selection.error} />}
      <button type="button" className="primary" onClick={() => selection.mutate()} disabled={selection.isPending}>
        Select {name}
      </button>
    </div>
  );
}

/** What can be set of an environment, what it is now, and what the recipe holds fast. */
export function EnvironmentSettings({ name }: { name: string }): ReactNode {
  const { config, isSelected } = useSelection(name);
  const { data, error } = config;
  if (error !== null && data === undefined) return <Refused error={error} />;
  if (data === undefined) return <Loading rows={6} />;
  if (!isSelected) return <SelectFirst name={name} why="Settings are told of the environment of the next run." />;
  const isLocked = new Set(data.locked_fields.map((field) => field.name));
  return (
    <>
      <p className="soft">
        Values of the next run{data.recipe === undefined ? '' : `, by the recipe ${data.recipe}`}.{' '}
        <Link to="/start" search={{ environment: name }}>
          Change them
        </Link>
      </p>
      <div className="scroll-x" tabIndex={0} role="group" aria-label={`Settings of ${name}`}>
        <table>
          <thead>
            <tr>
              <th>Setting</th>
              <th>Now</th>
              <th>What it is</th>
            </tr>
          </thead>
          <tbody>
            {[...data.configurable_fields, ...data.locked_fields].map((field) => (
              <tr key={`${isLocked.has(field.name)} ${field.name}`}>
                <td className="mono">{field.name}</td>
                <td
                  className={`mono ${writeValue(field.current_value) === writeValue(field.default) ? '' : 'changed'}`}
                >
                  {writeValue(field.current_value)}
                  {isLocked.has(field.name) && (
                    <span className="nowrap soft">
                      {' '}
                      <Mark shape="square" /> locked
                    </span>
                  )}
                </td>
                <td className="soft wide">{field.description}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
