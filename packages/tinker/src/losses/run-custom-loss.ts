import type { Datum } from '../codec/datum.ts';
import { checkLogprobs } from './check-logprobs.ts';
import type { CustomLoss, Logprobs } from './custom-loss.ts';
import { LossInputError } from './loss-input-error.ts';
import { planSurrogate } from './plan-surrogate.ts';
import type { SurrogatePlan, SurrogateProfile } from './plan-surrogate.ts';
import { readTargets } from './read-row.ts';

/** Gives the learner's logprobs of each datum's targets, without a gradient. */
export interface ForwardSource {
  forward(datums: readonly Datum[]): PromiseLike<readonly Logprobs[]>;
}

/** Adds the gradient of a built-in loss to what the next optimiser step applies. */
export interface SurrogateSink<Result> {
  forwardBackward(
    datums: readonly Datum[],
    options: { loss: SurrogatePlan['loss']; normalisation: SurrogatePlan['normalisation'] },
  ): PromiseLike<Result>;
}

export interface RunCustomLossOptions<Result> {
  datums: readonly Datum[];
  loss: CustomLoss;
  source: ForwardSource;
  sink: SurrogateSink<Result>;
  profile: SurrogateProfile;
  sequencesInStep?: number;
}

/** What a loss computed here came to, and what the server said to its gradient. */
export interface CustomLossOutcome<Result> {
  /** What the custom loss gave; `loss:sum` is the loss itself, under the name every built-in loss reports it by. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly loss: number;
  readonly logprobs: readonly Logprobs[];
  /** The server's answer to the surrogate. Its loss says nothing about the custom loss. */
  readonly surrogate: Result;
  readonly surrogateLoss: SurrogatePlan['loss'];
}

/**
 * Forward, loss and gradient here, then a surrogate with that gradient. Nothing may change the weights between the two
 * passes: the caller keeps the model's queue for itself until this settles.
 */
export async function runCustomLoss<Result>(options: RunCustomLossOptions<Result>): Promise<CustomLossOutcome<Result>> {
  const { datums, loss, source, sink, profile, sequencesInStep } = options;
  if (datums.length === 0) throw new LossInputError({ loss: 'custom', reason: 'has no datums' });
  const logprobs = await source.forward(datums.map(forwardDatum));
  checkLogprobs({ loss: 'custom', what: 'the forward pass', arrays: logprobs, datums });

  const computed = loss({ logprobs, datums });
  // A loss of NaN with finite gradients is a mistake in the loss; stop before it reaches the weights.
  if (!Number.isFinite(computed.loss)) throw new LossInputError({ loss: 'custom', reason: `is ${computed.loss}` });
  const plan = planSurrogate({
    datums,
    logprobs,
    gradients: computed.gradients,
    profile,
    ...(sequencesInStep === undefined ? {} : { sequencesInStep }),
  });
  const { normalisation } = plan;
  const surrogate = await sink.forwardBackward(plan.datums, { loss: plan.loss, normalisation });
  return {
    metrics: { ...computed.metrics, 'loss:sum': computed.loss },
    loss: computed.loss,
    logprobs,
    surrogate,
    surrogateLoss: plan.loss,
  };
}

/** Only what cross entropy knows: strict servers refuse other inputs. Weights do not change logprobs, but must be there. */
function forwardDatum(datum: Datum, index: number): Datum {
  const targets = readTargets({ loss: 'custom', datum, index });
  const { weights = new Float32Array(targets.length) } = datum.inputs;
  return { ...datum, inputs: { target_tokens: targets, weights } };
}
