import { isRecord, type ModelDetail, type RegisteredModel } from '@lachesis/protocol';
import { basename } from 'node:path';
import { nameOf } from '../../flags/library/name-model.ts';
import { fitText, textWidth, wrapText } from '../../terminal/text-width.ts';

/** Columns that are cut where the line is too long, the least missed first; the name never is. */
const CUT_COLUMNS = [2, 4, 3];
const SHORTEST_CELL = 6;

/** One line for each version, in columns that fit the screen. A star is what a name serves. */
export function describeModels(models: readonly RegisteredModel[], columns: number): string {
  const rows = models.map((model) => [
    `${model.is_promoted ? '*' : ' '} ${nameOf(model)}`,
    model.method,
    // Of a folder its name says enough; `models show` has the whole path.
    model.base_model.startsWith('/') ? basename(model.base_model) : model.base_model,
    describeData(model),
    model.run === null ? '–' : `${model.run}${model.step === null ? '' : ` step ${model.step}`}`,
    readScore(model)?.toFixed(3) ?? '–',
    `${describeTime(model.created_at).slice(0, 10)}${hasWeights(model) ? '' : ' weights deleted'}`,
  ]);
  const table = [['  model', 'method', 'base', 'data', 'run', 'score', 'made'], ...rows];
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => textWidth(row[column] ?? ''))));
  let excess = widths.reduce((sum, width) => sum + width + 2, -2) - columns;
  for (const column of CUT_COLUMNS) {
    const width = widths[column] ?? 0;
    const cut = Math.min(Math.max(0, excess), Math.max(0, width - SHORTEST_CELL));
    widths[column] = width - cut;
    excess -= cut;
  }
  const toLine = (row: readonly string[]): string =>
    row
      .map((cell, column) => fitText(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return table.map((row) => `${toLine(row)}\n`).join('');
}

/** The data set it learned from, or the environment it was trained in. */
function describeData({ dataset, config }: RegisteredModel): string {
  if (dataset !== null) return nameOf(dataset);
  return typeof config['environment'] === 'string' ? config['environment'] : '–';
}

/** What it began with, where that is in no registry. */
function describeBeginning({ config }: RegisteredModel): string {
  const settings = (config['tinker'] ?? config) as Readonly<Record<string, unknown>>;
  const state = settings['initial_state'];
  return typeof state === 'string' ? state : 'the base model';
}

/** Whether the weights are still there: a run keeps only so many of its checkpoints. */
export const hasWeights = (model: RegisteredModel): boolean => typeof model.weights_deleted_at !== 'number';

/** What the environment of its run said of it last. */
function readScore({ evaluations }: RegisteredModel): number | undefined {
  const score = evaluations.findLast(({ name }) => name === 'run/evaluation')?.content['score'];
  return typeof score === 'number' ? score : undefined;
}

/** Everything about one version. */
export function describeModel({ model, parent_name: parent, promotions }: ModelDetail, columns: number): string {
  const lines: [string, string][] = [
    ['id', model.model_version_id],
    ['method', model.method],
    ['base', model.base_model],
    ['parent', model.parent === null ? describeBeginning(model) : (parent ?? model.parent)],
    ['data', `${describeData(model)}${model.dataset === null ? '' : ` (${model.dataset.digest.slice(0, 12)})`}`],
    ['run', model.run === null ? '–' : `${model.run}${model.step === null ? '' : `, step ${model.step}`}`],
    ['weights', `${model.weights_path === '' ? 'those of the base model' : model.weights_path}${describeLoss(model)}`],
    ['state', model.state_path ?? '–'],
    ['made', describeTime(model.created_at)],
    ...listSettings(model.config).map(([name, value], index): [string, string] => [
      index === 0 ? 'config' : '',
      `${name}: ${value}`,
    ]),
    ...model.evaluations.map(({ name, content }): [string, string] => [
      'evaluation',
      `${name}: ${listSettings(content)
        .map(([field, value]) => `${field} ${value}`)
        .join(', ')}`,
    ]),
    ...promotions
      .filter(({ model_version_id: id }) => id === model.model_version_id)
      .map(({ kind, at, by, reason }): [string, string] => [kind, `${describeTime(at)} by ${by}: ${reason}`]),
  ];
  const width = Math.max(...lines.map(([label]) => label.length));
  return (
    `${nameOf(model)}${model.is_promoted ? '  (promoted)' : ''}\n` +
    lines.flatMap(([label, text]) => layOut(label.padEnd(width), text, columns)).join('')
  );
}

/** A label, and its text broken at the width. A path has no place to be broken at, and goes on in the next line. */
function layOut(label: string, text: string, columns: number): string[] {
  const lines = wrapText(text, Math.max(20, columns - label.length - 4));
  return lines.map((line, index) => `  ${index === 0 ? label : ' '.repeat(label.length)}  ${line}\n`);
}

/** Settings one by one, those of a section by `section.name`; what is not set says nothing. */
function listSettings(config: Readonly<Record<string, unknown>>, path = ''): [string, string][] {
  return Object.entries(config).flatMap(([name, value]): [string, string][] => {
    if (value === null || value === undefined) return [];
    if (isRecord(value)) return listSettings(value, `${path}${name}.`);
    return [[`${path}${name}`, typeof value === 'string' ? value : JSON.stringify(value)]];
  });
}

const describeLoss = ({ weights_deleted_at: at }: RegisteredModel): string =>
  typeof at === 'number' ? ` (deleted ${describeTime(at)}: its run keeps only so many checkpoints)` : '';

const describeTime = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');
