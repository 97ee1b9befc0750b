import { checkLogprobs, zerosLike } from '../check-logprobs.ts';
import type { CustomLoss, CustomLossInput, Logprobs } from '../custom-loss.ts';
import { LossInputError } from '../loss-input-error.ts';
import { readPolicyRows, type PolicyRow } from '../policy/read-policy-rows.ts';
import { readTargets } from '../read-row.ts';
import { type BatchTape, createBatchTape, type MapCall } from './batch-tape.ts';
import type { BatchValue } from './batch-value.ts';
import type { LossInput, LossResult, LossSequence, OwnLoss } from './define-loss.ts';

export interface OwnLossOptions {
  readonly own: OwnLoss;
  /** One for each datum, in their order. */
  readonly sequences: readonly Pick<LossSequence, 'group' | 'rollout' | 'score'>[];
  /** Log probabilities under the start weights; undefined where the loss does not look at them. */
  readonly reference?: readonly Logprobs[] | undefined;
  /** Called with each function that the author gave with its derivative. */
  readonly onMap?: ((call: MapCall) => void) | undefined;
}

/**
 * A loss of an author as one that a server can be given. Datums carry `logprobs` (the sampler's), `advantages` and `weights`.
 * What it gives that cannot be sent is refused with where it stands.
 */
export function createOwnLoss(options: OwnLossOptions): CustomLoss {
  const { own, sequences, reference, onMap } = options;
  const { name } = own;
  const refuse = (reason: string, datum?: number): LossInputError =>
    new LossInputError({ loss: name, reason, ...(datum === undefined ? {} : { datum }) });
  return (input) => {
    const { logprobs, datums } = input;
    checkLogprobs({ loss: name, what: 'logprobs', arrays: logprobs, datums });
    if (reference !== undefined) checkLogprobs({ loss: name, what: 'reference', arrays: reference, datums });
    const rows = readPolicyRows({ input, reference, proximal: undefined });
    const groups = numberGroups(sequences.map(({ group }) => group));
    const tape = createBatchTape({
      ...{ loss: name, onMap },
      layout: {
        sequenceOfToken: Uint32Array.from(rows.flatMap(({ trained }, row) => trained.map(() => row))),
        ...groups,
      },
    });
    const learner = tape.variable(
      'token',
      flatten(rows, ({ learner: row }) => row),
    );
    const output = own.loss(toInput({ tape, rows, learner, options, input, refuse }));
    const { loss, metrics } = readOutput(output, refuse);
    const gradients = zerosLike(logprobs);
    const flat = tape.gradient(loss, learner);
    let at = 0;
    for (const [index, { trained }] of rows.entries()) {
      for (const token of trained) {
        const gradient = flat[at]!;
        if (!Number.isFinite(gradient)) throw refuse(`has the gradient ${gradient} at token ${token}`, index);
        gradients[index]![token] = gradient;
        at += 1;
      }
    }
    return { loss: loss.values[0]!, gradients, metrics };
  };
}

type Refuse = (reason: string, datum?: number) => LossInputError;

function toInput(parts: {
  tape: BatchTape;
  rows: readonly PolicyRow[];
  learner: BatchValue;
  options: OwnLossOptions;
  input: CustomLossInput;
  refuse: Refuse;
}): LossInput {
  const { tape, rows, learner, input, refuse } = parts;
  const { own, sequences, reference } = parts.options;
  const constant = (read: (row: PolicyRow) => ArrayLike<number>): BatchValue =>
    tape.constant('token', flatten(rows, read));
  const start = reference === undefined ? undefined : constant((row) => row.reference!);
  return {
    learner,
    sampler: constant(({ sampler }) => sampler),
    advantages: constant(({ advantages }) => advantages),
    get reference() {
      if (start !== undefined) return start;
      throw refuse('looks at reference: write needsReference: true beside its name');
    },
    scores: tape.constant(
      'sequence',
      Float64Array.from(sequences, ({ score }) => score),
    ),
    sequences: sequences.map(({ group, rollout, score }, index) => ({
      ...{ group, rollout, score, mask: maskOf(rows[index]!) },
      tokens: Int32Array.from(readTargets({ loss: own.name, datum: input.datums[index]!, index }) as ArrayLike<number>),
    })),
  };
}

const flatten = (rows: readonly PolicyRow[], read: (row: PolicyRow) => ArrayLike<number>): Float64Array =>
  Float64Array.from(
    rows.flatMap((row) => {
      const values = read(row);
      return row.trained.map((token) => values[token]!);
    }),
  );

/** Groups by their order in the part of the batch that is at hand. */
function numberGroups(groups: readonly number[]): { groupOfSequence: Uint32Array; groups: number } {
  const numbers = new Map<number, number>();
  for (const group of groups) if (!numbers.has(group)) numbers.set(group, numbers.size);
  return { groupOfSequence: Uint32Array.from(groups, (group) => numbers.get(group)!), groups: numbers.size };
}

function maskOf({ trained, learner }: PolicyRow): Float32Array {
  const mask = new Float32Array(learner.length);
  for (const token of trained) mask[token] = 1;
  return mask;
}

function readOutput(output: LossResult, refuse: Refuse): { loss: BatchValue; metrics: Record<string, number> } {
  const { loss, metrics = {} } = isValue(output) ? { loss: output } : output;
  if (!isValue(loss)) throw refuse('returns no value of the batch: return what was computed of learner');
  if (loss.level !== 'batch') {
    throw refuse(`returns a number for each ${loss.level}: end with .sum() or .mean()`);
  }
  if (!Number.isFinite(loss.values[0])) throw refuse(`is ${loss.values[0]}`);
  const told = Object.entries(metrics).flatMap(([metric, value]) => {
    const read = readMetric(metric, value, refuse);
    // What is no number is no point of a chart, and no reason to end a run.
    return Number.isFinite(read) ? [[`policy:${metric}`, read]] : [];
  });
  return { loss, metrics: Object.fromEntries(told) };
}

function readMetric(name: string, value: BatchValue | number, refuse: Refuse): number {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw refuse(`has a metric ${name}: small letters, digits and _ make a name`);
  if (typeof value === 'number') return value;
  if (isValue(value) && value.level === 'batch') return value.values[0]!;
  throw refuse(`has a metric ${name} that is not one number: end with .sum() or .mean()`);
}

const isValue = (value: unknown): value is BatchValue =>
  typeof value === 'object' && value !== null && 'level' in value && 'values' in value;
