import type { RunSettings as Settings } from '@lachesis/protocol';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { settingsQuery } from '../api/queries.ts';
import { writeValue } from '../parts/format.ts';
import { Mark } from '../parts/mark.tsx';
import { Loading, Refused } from '../parts/states.tsx';
import { useWords } from '../shell/use-search.ts';

/** What the run was started with, what differs from its recipe first. */
export function RunSettings({ run }: { run: string }): ReactNode {
  const [words, setWords] = useWords();
  const { data, error, refetch } = useQuery(settingsQuery(run));
  if (error !== null && data === undefined) return <Refused error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={8} />;
  const changed = data.settings.filter(({ differs }) => differs);
  const isAll = words['settings'] !== 'changed';
  const shown = isAll ? [...changed, ...data.settings.filter(({ differs }) => !differs)] : changed;
  return (
    <div className="stack">
      <p className="row">
        <span>
          Recipe <code>{data.recipe}</code>, {changed.length === 0 ? 'unchanged' : `${changed.length} changed`}
        </span>
        <label className="check">
          <input
            type="checkbox"
            checked={!isAll}
            onChange={({ target }) => setWords({ settings: target.checked ? 'changed' : '' })}
          />
          only what differs
        </label>
      </p>
      <div className="scroll-x" tabIndex={0} role="group" aria-label="Settings">
        <table>
          <thead>
            <tr>
              <th>Setting</th>
              <th>This run</th>
              <th>Recipe</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((setting) => (
              <SettingRow key={setting.name} setting={setting} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function SettingRow({ setting }: { setting: Settings['settings'][number] }): ReactNode {
  const { name, value, recipe_value, differs } = setting;
  return (
    <tr>
      <td className="mono nowrap">
        {differs ? <Mark shape="triangle" tone="accent" /> : <span className="no-mark" />} {name}
        {differs && <span className="visually-hidden">differs</span>}
      </td>
      <td className={`mono wide${differs ? ' changed' : ''}`}>{writeValue(value)}</td>
      <td className="mono wide soft">{writeValue(recipe_value)}</td>
    </tr>
  );
}
