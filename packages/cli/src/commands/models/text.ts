import type { ModelDetail, RegisteredModel } from '@lachesis/protocol';
import { nameOf } from '../../flags/library/name-model.ts';

/** One line for each version, in columns. A star is what a name serves. */
export function describeModels(models: readonly RegisteredModel[]): string {
  const rows = models.map((model) => [
    `${model.is_promoted ? '*' : ' '} ${nameOf(model)}`,
    model.method,
    model.base_model,
    model.dataset === null ? '–' : nameOf(model.dataset),
    model.run === null ? '–' : `${model.run}${model.step === null ? '' : ` step ${model.step}`}`,
    describeTime(model.created_at),
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
export function describeModel({ model, parent_name: parent, promotions }: ModelDetail): string {
  const lines: [string, string][] = [
    ['id', model.model_version_id],
    ['method', model.method],
    ['base', model.base_model],
    ['parent', model.parent === null ? 'the base model' : (parent ?? model.parent)],
    ['data set', model.dataset === null ? '–' : `${nameOf(model.dataset)} (${model.dataset.digest.slice(0, 12)})`],
    ['run', model.run === null ? '–' : `${model.run}${model.step === null ? '' : `, step ${model.step}`}`],
    ['weights', model.weights_path === '' ? 'those of the base model' : model.weights_path],
    ['state', model.state_path ?? '–'],
    ['made', describeTime(model.created_at)],
    ['config', JSON.stringify(model.config)],
    ...model.evaluations.map(({ name, content }): [string, string] => [
      'evaluation',
      `${name} ${JSON.stringify(content)}`,
    ]),
    ...promotions
      .filter(({ model_version_id: id }) => id === model.model_version_id)
      .map(({ kind, at, by, reason }): [string, string] => [kind, `${describeTime(at)} by ${by}: ${reason}`]),
  ];
  const width = Math.max(...lines.map(([label]) => label.length));
  return (
    `${nameOf(model)}${model.is_promoted ? '  (promoted)' : ''}\n` +
    lines.map(([label, text]) => `  ${label.padEnd(width)}  ${text}\n`).join('')
  );
}

const describeTime = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');
