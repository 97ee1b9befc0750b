import { isRecord, type RegisteredModel } from '@lachesis/protocol';
import type { JsonObject } from '@lachesis/store';
import { failWithEnvironmentError } from '../../flags/environment.ts';
import { withModels, type ModelLibrary } from '../../flags/library/models.ts';
import { nameOf } from '../../flags/library/name-model.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { writeJson } from '../../terminal/screen.ts';
import { measureOnDataset } from './compare-dataset.ts';
import { measureOnEnvironment } from './compare-environment.ts';
import type { CompareArguments, Comparison } from './compare-job.ts';
import { hasWeights } from './text.ts';

/** Measures, prints, and keeps the result with the second model. */
export async function compareTwo(args: CompareArguments): Promise<void> {
  const { signal } = listenForShutdown();
  await withModels(args, async (library) => {
    const { left, right } = await findBoth(library, args);
    const log = (text: string): void => void process.stderr.write(`${text}\n`);
    const job = { args, library, left, right, signal, log };
    const comparison =
      args.environment === undefined
        ? await measureOnDataset(job)
        : await measureOnEnvironment(job).catch(failWithEnvironmentError);
    const result = { left: labelOf(left), right: labelOf(right), ...toJson(comparison) };
    if (args.record !== false && right.model_version_id !== '') {
      const name = `compare/${comparison.on}`;
      await library.saveEvaluation(right.model_version_id, { name, content: result });
    }
    if (args.json === true) writeJson(result);
    else {
      const quoted = args.environment === undefined ? '' : quoteEvaluations([left, right], comparison.on);
      process.stdout.write(`${describe(result.left, result.right, comparison)}${quoted}`);
    }
  });
}

/** The word `base` is the base model of the other one. */
async function findBoth(
  library: ModelLibrary,
  { left, right }: CompareArguments,
): Promise<{ left: RegisteredModel; right: RegisteredModel }> {
  const find = async (ref: string): Promise<RegisteredModel> => {
    const { model } = await library.readModel(ref);
    if (hasWeights(model)) return model;
    throw new Error(`the weights of ${nameOf(model)} were deleted by the run that made it; take another version.`);
  };
  if (left === 'base') {
    const other = await find(right);
    return { left: toBase(other), right: other };
  }
  const first = await find(left);
  return { left: first, right: right === 'base' ? toBase(first) : await find(right) };
}

const toBase = (model: RegisteredModel): RegisteredModel => ({
  ...model,
  ...{ name: 'base', version: 0, model_version_id: '', method: 'base', weights_path: '', state_path: null, run: null },
  ...{ step: null, parent: null, dataset: null, config: {}, evaluations: [] },
});

const labelOf = (model: RegisteredModel): string =>
  model.model_version_id === '' ? `base (${model.base_model})` : nameOf(model);

/** What `env evaluate --save-with` kept of either model on the same environment, the newest. */
function quoteEvaluations(models: readonly RegisteredModel[], on: string): string {
  const name = on.replace(/^environment /, 'evaluate/');
  return models
    .flatMap((model) => {
      const kept = model.evaluations.findLast((each) => each.name === name)?.content;
      const pass = isRecord(kept?.['pass']) ? Object.entries(kept['pass']) : [];
      const values = pass.flatMap(([k, rate]) =>
        isRecord(rate) && typeof rate['value'] === 'number' ? [`${k} ${rate['value'].toFixed(3)}`] : [],
      );
      return values.length === 0 ? [] : [`  kept with ${labelOf(model)}: ${values.join(', ')}\n`];
    })
    .join('');
}

/** An interval of fewer than two items is none; JSON has no word for what is not a number. */
function toJson(comparison: Comparison): JsonObject {
  const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
  const { on, measure, items, difference, interval, leftMean, rightMean, leftBetter, rightBetter } = comparison;
  return {
    ...{ on, measure, items, left_better: leftBetter, right_better: rightBetter },
    ...{ left_mean: finite(leftMean), right_mean: finite(rightMean), difference: finite(difference) },
    interval: interval.some((end) => !Number.isFinite(end)) ? null : [...interval],
  };
}

function describe(left: string, right: string, comparison: Comparison): string {
  const { on, measure, items, difference, interval, leftMean, rightMean, leftBetter, rightBetter } = comparison;
  const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
  const width = Math.max(left.length, right.length);
  const verdict = !interval.every(Number.isFinite)
    ? 'too few items to tell'
    : interval[0] > 0
      ? `${right} is better`
      : interval[1] < 0
        ? `${left} is better`
        : 'no difference can be told';
  return (
    `${on}, ${items} items that both have a number for: ${measure}\n` +
    `  ${left.padEnd(width)}  ${leftMean.toFixed(3)}\n  ${right.padEnd(width)}  ${rightMean.toFixed(3)}\n` +
    `  difference ${signed(difference)}` +
    (interval.every(Number.isFinite) ? `, 95 % ${signed(interval[0])} to ${signed(interval[1])}` : '') +
    `, better : worse ${rightBetter} : ${leftBetter}\n  ${verdict}\n`
  );
}
