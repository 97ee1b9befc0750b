import type { RegisteredModel } from '@lachesis/protocol';

type Evaluation = RegisteredModel['evaluations'][number];

/** One measured thing, as it was kept with each of the models; undefined where nobody measured it. */
export interface EvaluationRow {
  evaluation: string;
  field: string;
  values: readonly unknown[];
}

/** What was measured of some models, one line a field. Of two results under one name the newer one is shown. */
export function listEvaluationRows(models: readonly Pick<RegisteredModel, 'evaluations'>[]): EvaluationRow[] {
  const tables = models.map(({ evaluations }) => new Map(evaluations.map((each) => [each.name, listFields(each)])));
  const names = new Set(tables.flatMap((table) => [...table.keys()]));
  return [...names].flatMap((evaluation) => {
    const columns = tables.map((table) => table.get(evaluation) ?? new Map<string, unknown>());
    const fields = new Set(columns.flatMap((column) => [...column.keys()]));
    return [...fields].map((field) => ({ evaluation, field, values: columns.map((column) => column.get(field)) }));
  });
}

const listFields = ({ content }: Evaluation): Map<string, unknown> => new Map(flatten(content, ''));

function flatten(content: Readonly<Record<string, unknown>>, path: string): [string, unknown][] {
  return Object.entries(content).flatMap(([name, value]): [string, unknown][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? flatten(value as Record<string, unknown>, `${path}${name}.`)
      : [[`${path}${name}`, value]],
  );
}
