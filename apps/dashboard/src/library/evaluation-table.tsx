import type { RegisteredModel } from '@lachesis/protocol';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { writeNumber, writeValue } from '../parts/format.ts';
import { Mark } from '../parts/mark.tsx';
import { listEvaluationRows } from './evaluation-rows.ts';

export const nameModel = ({ name, version }: Pick<RegisteredModel, 'name' | 'version'>): string => `${name}@${version}`;

/** Lines under one heading, each with a cell for every model. */
interface LineGroup {
  /** Undefined for lines that need none. */
  readonly name?: string;
  readonly lines: readonly (readonly [title: string, cells: readonly ReactNode[]])[];
}

interface ModelTableProps {
  readonly label: string;
  readonly head: string;
  readonly models: readonly RegisteredModel[];
  readonly groups: readonly LineGroup[];
}

/** Models beside each other, a line for each thing that is said of all of them. */
export function ModelTable({ label, head, models, groups }: ModelTableProps): ReactNode {
  return (
    <div className="scroll-x" tabIndex={0} role="group" aria-label={label}>
      <table className="evaluations">
        <thead>
          <tr>
            <th>{head}</th>
            {models.map((each) => (
              <th key={nameModel(each)} className="number">
                <Link to="/models/$model" params={{ model: nameModel(each) }}>
                  {nameModel(each)}
                </Link>
                {each.is_promoted && (
                  <>
                    {' '}
                    <Mark shape="tick" tone="good" /> served
                  </>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map(({ name, lines }) => (
            <Fragment key={name ?? ''}>
              {name !== undefined && (
                <tr>
                  <th colSpan={models.length + 1} scope="rowgroup" className="group">
                    {name}
                  </th>
                </tr>
              )}
              {lines.map(([title, cells]) => (
                <tr key={title}>
                  <td className="field-name">{title}</td>
                  {cells.map((cell, index) => (
                    <td key={index} className="number">
                      {cell}
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

/** What was measured of models, one beside the other, as it was kept with each. */
export function EvaluationTable({ models }: { models: readonly RegisteredModel[] }): ReactNode {
  const groups = [...Map.groupBy(listEvaluationRows(models), ({ evaluation }) => evaluation)].map(([name, fields]) => ({
    name,
    lines: fields.map(({ field, values }) => [field, values.map(writeMeasured)] as const),
  }));
  return <ModelTable label="What was measured" head="Measured" models={models} groups={groups} />;
}

function writeMeasured(value: unknown): ReactNode {
  if (typeof value === 'number') return writeNumber(value);
  if (Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'number')) {
    return value.map((each) => writeNumber(each)).join(' to ');
  }
  if (value === undefined) return <span className="soft">not measured</span>;
  return writeValue(value);
}
