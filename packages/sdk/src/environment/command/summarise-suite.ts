import { describeContamination } from '../check/check-contamination.ts';
import { averageRates, printRates } from '../runner/print-rates.ts';
import { ratesToJson, type SampleRates } from '../runner/rate-samples.ts';
import { contaminationToJson, modelToJson, type EvaluatedEnvironment } from './run-evaluate.ts';

/** What was measured of several environments, in the forms in which it leaves a command. */
export interface SuiteSummary {
  /** A line for each, and for each model their mean, in which all environments count the same. */
  readonly text: string;
  readonly json: object;
  /** For the registry: the numbers with their intervals, and not each item. */
  readonly evaluations: { name: string; content: Record<string, unknown> }[];
}

/** Several environments as one evaluation: the table, the same for programs, and what is kept with a model. */
export function summariseSuite(evaluated: readonly EvaluatedEnvironment[]): SuiteSummary {
  const models = [...new Set(evaluated.flatMap((each) => each.models.map(({ model }) => model)))];
  const label = (name: string, model: string): string => (models.length === 1 ? name : `${name} ${model}`);
  const rows = evaluated.flatMap(({ environment, models: reports }) =>
    reports.map(({ model, report }) => ({ label: label(environment, model), model, rates: report.rates })),
  );
  const means = models.map((model) => ({ model, rates: averageOf(evaluated, model) }));
  const counted = means.map(({ model, rates }) => ({
    label: label(`mean of ${evaluated.length}`, model),
    // Of the mean the table tells how many items it is made of.
    rates: { ...rates, items: rows.filter((row) => row.model === model).flatMap((row) => row.rates.items) },
  }));
  const folders = evaluated
    .map(({ environment, folder, contamination }) => {
      const found = contamination === undefined ? '' : `${environment}: ${describeContamination(contamination)}`;
      return `${found}${environment}: written to ${folder}\n`;
    })
    .join('');
  return {
    text: `${printRates('95 % over items', [...rows, ...counted])}\n${folders}`,
    json: {
      environments: evaluated.map(({ environment, folder, models: reports, contamination }) => ({
        ...{ environment, folder },
        models: reports.map((report) => modelToJson(report)),
        ...(contamination === undefined ? {} : { contamination: contaminationToJson(contamination, reports) }),
      })),
      mean: means.map(({ model, rates }) => {
        const { average, pass } = ratesToJson(rates);
        return { model, average, pass };
      }),
    },
    evaluations: evaluated.flatMap(({ environment, temperature, models: reports }) =>
      reports.map(({ model, report }) => ({
        name: `evaluate/${environment}`,
        content: { environment, temperature, served_as: model, ...ratesToJson(report.rates) },
      })),
    ),
  };
}

function averageOf(evaluated: readonly EvaluatedEnvironment[], model: string): SampleRates {
  const rates = evaluated.flatMap(({ models }) =>
    models.filter((each) => each.model === model).map(({ report }) => report.rates),
  );
  return averageRates(rates, evaluated[0]?.seed ?? 0);
}
