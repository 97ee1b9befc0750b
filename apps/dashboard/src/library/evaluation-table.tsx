import type { RegisteredModel } from '@lachesis/protocol';
import { Fragment, type ReactNode } from 'react';
import { writeNumber, writeValue } from '../parts/format.ts';
import { listEvaluationRows } from './evaluation-rows.ts';

export const nameModel = ({ name, version }: Pick<RegisteredModel, 'name' | 'version'>): string => `${name}@${version}`;

/** What was measured of models, one beside the other, as it was kept with each. */
export function EvaluationTable({ models }: { models: readonly RegisteredModel[] }): ReactNode {
  const groups = Map.groupBy(listEvaluationRows(models), ({ evaluation }) => evaluation);
  return (
    <div className="scroll-x" tabIndex={0} role="group" aria-label="What was measured">
      <table className="evaluations">
        <thead>
          <tr>
            <th>Measured</th>
            {models.map((each) => (
              <th key={nameModel(each)} className="number">
                {nameModel(each)}
                {each.is_promoted ? ' · served' : ''}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...groups].map(([evaluation, fields]) => (
            <Fragment key={evaluation}>
              <tr>
                <th colSpan={models.length + 1} scope="rowgroup" className="group">
                  {evaluation}
                </th>
              </tr>
              {fields.map(({ field, values }) => (
                <tr key={field}>
                  <td className="field-name">{field}</td>
                  {values.map((value, index) => (
                    <td key={index} className="number">
                      {writeMeasured(value)}
                    </td>
                  ))}
                </tr>
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function writeMeasured(value: unknown): ReactNode {
  if (typeof value === 'number') return writeNumber(value);
  if (Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'number')) {
    return value.map((each) => writeNumber(each)).join(' to ');
  }
  if (value === undefined) return <span className="soft">not measured</span>;
  return writeValue(value);
}
