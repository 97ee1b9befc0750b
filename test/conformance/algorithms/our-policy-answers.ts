import { findPolicyLoss, readAlgorithm, recipeSchema } from '@lachesis/protocol';
import { createPolicyLoss, type CustomLoss } from '@lachesis/tinker';
import type { ConvertedBatch } from '../../../packages/server/src/services/training/rl/datums/convert-batch.ts';
import { createConverter } from '../../../packages/server/src/services/training/rl/datums/create-converter.ts';
import { makeGroup } from '../../../packages/server/src/services/training/rl/datums/group.fixture.ts';
import type {
  Algorithm,
  PolicyLossOptions,
} from '../../../packages/server/src/services/training/rl/losses/algorithm.ts';
import { toPolicyLossOptions } from '../../../packages/server/src/services/training/rl/losses/to-policy-loss-options.ts';
import { penalizeDrift } from '../../../packages/server/src/services/training/rl/rlhf/kl-budget.ts';
import { LONGEST, type PolicyCase, type PolicySubject } from './make-policy-cases.ts';

export interface PolicyAnswer {
  readonly value: number;
  /** d value / d logprob, reply by reply. */
  readonly gradients: readonly ArrayLike<number>[];
}

/** What a mutant does to the way from a batch to its loss. */
export interface PolicyFault {
  readonly tinker?: (tinker: PolicySubject['tinker']) => PolicySubject['tinker'];
  readonly options?: (options: PolicyLossOptions) => PolicyLossOptions;
  readonly batch?: (batch: ConvertedBatch) => ConvertedBatch;
  readonly result?: (result: ReturnType<CustomLoss>) => ReturnType<CustomLoss>;
}

/** Two tokens of a prompt stand before each reply; the first is never a target. */
const PROMPT = 2;

/** From groups and a recipe to loss and gradient, on the trainer's own way. */
export async function answerPolicy(
  subject: PolicySubject,
  one: PolicyCase,
  fault: PolicyFault = {},
): Promise<PolicyAnswer> {
  const tinker = fault.tinker?.(subject.tinker) ?? subject.tinker;
  const recipe = recipeSchema.parse({ env: { max_token_length: LONGEST }, tinker });
  const algorithm = readAlgorithm(recipe.tinker);
  const members = one.scores.map((_, index) => index);
  const groups = [...new Set(one.group)].map((group) => members.filter((index) => one.group[index] === group));
  const converted = createConverter(recipe)(groups.map((own) => makeGroup(own.map((index) => toSequence(one, index)))));
  const placeOf = ({ group, sequence }: { group: number; sequence: number }): number => groups[group]![sequence]!;
  const rowsOf = (rows: readonly number[][], batch: ConvertedBatch): Float64Array[] =>
    batch.sequences.map((sequence) => toTargets(rows[placeOf(sequence)]!, one.mask[placeOf(sequence)]!));
  const gradients: ArrayLike<number>[] = one.mask.map((row) => new Float64Array(row.length));
  if (converted.sequences.length === 0) return { value: 0, gradients };

  const batch = await holdNear(converted, algorithm, recipe.tinker, rowsOf(one.reference, converted));
  const seen = fault.batch?.(batch.converted) ?? batch.converted;
  const policyLoss = findPolicyLoss(algorithm.loss)!;
  const { sequences } = seen;
  const plain = toPolicyLossOptions({ algorithm, policyLoss, length: LONGEST, sequences, reference: batch.inLoss });
  const asked = plain.ratioTo === 'proximal' ? { ...plain, proximal: rowsOf(one.proximal, seen) } : plain;
  const loss = createPolicyLoss(fault.options?.(asked) ?? asked);
  const plainResult = loss({ logprobs: rowsOf(one.learner, seen), datums: sequences.map(({ datum }) => datum) });
  const result = fault.result?.(plainResult) ?? plainResult;
  for (const [index, sequence] of sequences.entries()) {
    gradients[placeOf(sequence)] = result.gradients[index]!.slice(PROMPT - 1);
  }
  return { value: result.loss, gradients };
}

async function holdNear(
  converted: ConvertedBatch,
  { klCoefficient }: Algorithm,
  section: Parameters<typeof penalizeDrift>[0]['section'],
  reference: readonly Float64Array[],
): Promise<{ converted: ConvertedBatch; inLoss: readonly Float32Array[] | undefined }> {
  if (klCoefficient === 0) return { converted, inLoss: undefined };
  const rows = reference.map((row) => Float32Array.from(row));
  return await penalizeDrift({ converted, section, reference: { logprobs: async () => rows, close: async () => {} } });
}

// A masked token has no logprob that anybody may look at.
const toTargets = (row: readonly number[], mask: readonly number[]): Float64Array =>
  Float64Array.from([Number.NaN, ...row.map((value, token) => (mask[token] === 0 ? Number.NaN : value))]);

const toSequence = (one: PolicyCase, index: number): Parameters<typeof makeGroup>[0][number] => ({
  tokens: [1, 2, ...one.mask[index]!.map(() => 3)],
  logprobs: [1, 1, ...one.sampler[index]!.map((value, token) => (one.mask[index]![token] === 0 ? 1 : value))],
  score: one.scores[index]!,
});
