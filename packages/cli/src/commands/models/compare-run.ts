import { recordModelEvaluation, type JsonObject, type ModelVersion } from '@lachesis/store';
import { failWithSentence } from '../../terminal/fail.ts';
import { withLocalLibrary, type LocalLibrary } from '../../flags/library/local-library.ts';
import { readHome } from '../../flags/engine.ts';
import { failWithEnvironmentError } from '../../flags/environment.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { measureOnDataset } from './compare-dataset.ts';
import { measureOnEnvironment } from './compare-environment.ts';
import type { CompareArguments, Comparison } from './compare-job.ts';
import { nameOf, requireModel } from '../../flags/library/require-model.ts';
import { findEngineUrl } from '../../flags/find-engine.ts';
import { writeJson } from '../../terminal/screen.ts';

/** Measures, prints, and keeps the result with the second model. */
export async function compareTwo(args: CompareArguments): Promise<void> {
  const { signal } = listenForShutdown();
  await withLocalLibrary({ ...args }, async (library) => {
    const { left, right } = await findBoth(library, args);
    const engineUrl = await findEngineUrl(
      { tinker: { base_url: args['engine-url'] } },
      { home: readHome(args), given: process.env['TINKER_BASE_URL'], environment: process.env },
    );
    const log = (text: string): void => void process.stderr.write(`${text}\n`);
    const job = { args, library, left, right, engineUrl, signal, log };
    const comparison =
      args.environment === undefined
        ? await measureOnDataset(job)
        : await measureOnEnvironment(job).catch(failWithEnvironmentError);
    const result = { left: labelOf(left), right: labelOf(right), ...toJson(comparison) };
    if (args.record !== false && right.modelVersionId !== '') {
      const name = `compare/${comparison.on}`;
      await recordModelEvaluation({ ...library, ref: right.modelVersionId, name, content: result });
    }
    if (args.json === true) writeJson(result);
    else process.stdout.write(describe(result.left, result.right, comparison));
  }).catch(failWithSentence);
}

/** The word `base` is the base model of the other one. */
async function findBoth(
  library: LocalLibrary,
  { left, right }: CompareArguments,
): Promise<{ left: ModelVersion; right: ModelVersion }> {
  if (left === 'base') {
    const other = await requireModel({ ...library, ref: right });
    return { left: toBase(other), right: other };
  }
  const first = await requireModel({ ...library, ref: left });
  return { left: first, right: right === 'base' ? toBase(first) : await requireModel({ ...library, ref: right }) };
}

const toBase = (model: ModelVersion): ModelVersion => ({
  ...model,
  ...{ name: 'base', version: 0, modelVersionId: '', method: 'base', weightsPath: '', statePath: null, run: null },
  ...{ step: null, parent: null, dataset: null, config: {}, evaluations: [] },
});

const labelOf = (model: ModelVersion): string =>
  model.modelVersionId === '' ? `base (${model.baseModel})` : nameOf(model);

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
