import type { Datum } from '../codec/datum.ts';
import type { LossNormalisation } from './plan-surrogate.ts';

export interface ServerLossOptions {
  loss: 'importance_sampling' | 'cross_entropy';
  datums: readonly Datum[];
  /** The learner's logprobs at which the loss is evaluated. */
  logprobs: readonly Float64Array[];
  normalisation: LossNormalisation;
  /** Sequences accumulated up to the optimiser step. */
  sequencesInStep: number;
}

const row = (datum: Datum, name: string): Float32Array | undefined => datum.inputs[name] as Float32Array | undefined;

/** The divisor as SkyRL's JAX backend has it: weights default to 1 and their sum is kept above 1e-9. */
function divisorOf(datum: Datum, { normalisation, sequencesInStep }: ServerLossOptions): number {
  const weights = row(datum, 'weights') ?? new Float32Array(datum.tokens.length).fill(1);
  const tokens = normalisation.startsWith('token-mean')
    ? Math.max(
        weights.reduce((sum, weight) => sum + weight, 0),
        1e-9,
      )
    : 1;
  return tokens * (normalisation.endsWith('sequence-mean') ? sequencesInStep : 1);
}

/** The number whose gradient such a server steps along. */
export function serverLoss(options: ServerLossOptions): number {
  let total = 0;
  for (const [index, datum] of options.datums.entries()) {
    const weights = row(datum, 'weights');
    for (const [token, logprob] of options.logprobs[index]!.entries()) {
      const weight = weights?.[token] ?? 1;
      if (weight === 0) continue;
      const term =
        options.loss === 'cross_entropy'
          ? logprob
          : Math.exp(logprob - row(datum, 'logprobs')![token]!) * row(datum, 'advantages')![token]!;
      total -= (weight * term) / divisorOf(datum, options);
    }
  }
  return total;
}

/** Its analytic derivative with respect to every logprob. */
export function serverGradient(options: ServerLossOptions): Float64Array[] {
  return options.datums.map((datum, index) =>
    options.logprobs[index]!.map((logprob, token) => {
      const weight = row(datum, 'weights')?.[token] ?? 1;
      if (weight === 0) return 0;
      const slope =
        options.loss === 'cross_entropy'
          ? 1
          : Math.exp(logprob - row(datum, 'logprobs')![token]!) * row(datum, 'advantages')![token]!;
      return (-weight * slope) / divisorOf(datum, options);
    }),
  );
}
