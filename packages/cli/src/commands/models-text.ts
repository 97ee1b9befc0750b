import type { ModelPromotion, ModelVersion } from '@lachesis/store';
import { nameOf } from './models-options.ts';

/** One line for each version, in columns. A star is what a name serves. */
export function describeModels(models: readonly ModelVersion[], promoted: ReadonlyMap<string, string>): string {
  const rows = models.map((model) => [
    `${promoted.get(model.name) === model.modelVersionId ? '*' : ' '} ${nameOf(model)}`,
    model.method,
    model.baseModel,
    model.dataset === null ? '–' : nameOf(model.dataset),
    model.run === null ? '–' : `${model.run}${model.step === null ? '' : ` step ${model.step}`}`,
    describeTime(model.createdAt),
  ]);
  const table = [['  model', 'method', 'base', 'data set', 'run', 'made'], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  return table
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** Everything about one version. */
export function describeModel(options: {
  model: ModelVersion;
  parent: ModelVersion | undefined;
  history: readonly ModelPromotion[];
}): string {
  const { model, parent, history } = options;
  const isServed = history.at(-1)?.modelVersionId === model.modelVersionId;
  const lines: [string, string][] = [
    ['id', model.modelVersionId],
    ['method', model.method],
    ['base', model.baseModel],
    ['parent', model.parent === null ? 'the base model' : parent === undefined ? model.parent : nameOf(parent)],
    ['data set', model.dataset === null ? '–' : `${nameOf(model.dataset)} (${model.dataset.digest.slice(0, 12)})`],
    ['run', model.run === null ? '–' : `${model.run}${model.step === null ? '' : `, step ${model.step}`}`],
    ['weights', model.weightsPath === '' ? 'those of the base model' : model.weightsPath],
    ['state', model.statePath ?? '–'],
    ['made', describeTime(model.createdAt)],
    ['config', JSON.stringify(model.config)],
    ...model.evaluations.map(({ name, content }): [string, string] => [
      'evaluation',
      `${name} ${JSON.stringify(content)}`,
    ]),
    ...history
      .filter(({ modelVersionId }) => modelVersionId === model.modelVersionId)
      .map(({ kind, at, by, reason }): [string, string] => [kind, `${describeTime(at)} by ${by}: ${reason}`]),
  ];
  const width = Math.max(...lines.map(([label]) => label.length));
  return (
    `${nameOf(model)}${isServed ? '  (promoted)' : ''}\n` +
    lines.map(([label, text]) => `  ${label.padEnd(width)}  ${text}\n`).join('')
  );
}

const describeTime = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');
