import type { ModelDetail, RegisteredModel } from '@lachesis/protocol';
import type { ReactNode } from 'react';
import { Empty } from '../parts/states.tsx';
import { useKeys } from '../shell/keys.ts';
import { useWords } from '../shell/use-search.ts';
import { listEvaluationRows } from './evaluation-rows.ts';
import { EvaluationTable, nameModel as nameOf } from './evaluation-table.tsx';

/** What was measured of a version, beside the same of another one of its name. */
export function ModelEvaluations(props: { detail: ModelDetail; versions: readonly RegisteredModel[] }): ReactNode {
  const { model, parent_name: parent } = props.detail;
  const [words, setWords] = useWords();
  const others = props.versions.filter(({ version }) => version !== model.version);
  const chosen =
    others.find((other) => nameOf(other) === words['beside']) ??
    others.find(({ is_promoted: isServed }) => isServed) ??
    others.find((other) => nameOf(other) === parent) ??
    others[0];
  const other = words['beside'] === 'none' ? undefined : chosen;
  const move = (step: number): void => {
    const next = others[(other === undefined ? -1 : others.indexOf(other)) + step];
    setWords({ beside: next === undefined ? 'none' : nameOf(next) });
  };
  useKeys([
    { keys: 'j', label: 'beside an older version', run: () => move(1) },
    { keys: 'k', label: 'beside a newer version', run: () => move(-1) },
  ]);
  const shown = other === undefined ? [model] : [other, model];
  if (listEvaluationRows(shown).length === 0) {
    return (
      <Empty
        title="Nothing was measured of it."
        command={`models compare base ${nameOf(model)} --dataset <held-out set>`}
      >
        Both models are measured on the same rows, and what is found is kept with this version:
      </Empty>
    );
  }
  return (
    <div className="stack">
      {others.length > 0 && (
        <label className="row beside">
          <span className="soft">Beside</span>
          <select
            value={other === undefined ? 'none' : nameOf(other)}
            onChange={({ target }) => setWords({ beside: target.value })}
          >
            {others.map((each) => (
              <option key={each.version} value={nameOf(each)}>
                {nameOf(each)}
                {each.is_promoted ? ' (served)' : ''}
              </option>
            ))}
            <option value="none">nothing</option>
          </select>
        </label>
      )}
      <EvaluationTable models={shown} />
    </div>
  );
}
