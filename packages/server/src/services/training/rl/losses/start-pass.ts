import { findPolicyLoss, readAlgorithm, type Recipe } from '@lachesis/protocol';
import { createOwnLoss, createPolicyLoss, type CustomLoss, type Datum, type PassOptions } from '@lachesis/tinker';
import type { EngineModel, EngineTraits } from '../../engine/engine.ts';
import { TrainerError } from '../../trainer-error.ts';
import type { TrainingSequence } from '../datums/convert-group.ts';
import { describeFailure } from '../own-code/describe-failure.ts';
import type { OwnLoss } from '../own-code/own-code.ts';
import { toPolicyLossOptions } from './to-policy-loss-options.ts';
import { weighAdvantages } from './weigh-advantages.ts';

export interface StartedPass {
  result: Promise<{
    logprobs: readonly Float32Array[];
    metrics: Readonly<Record<string, number>>;
    /** What a loss that was computed here told. */
    policy?: Readonly<Record<string, number>> | undefined;
  }>;
  /** Resolves when all gradients of the pass are with the engine. */
  submitted: Promise<unknown>;
  /** Bounds of the ratio of a token; undefined for a loss that has none of a token. */
  bounds: { low: number; high: number } | undefined;
  /** Whether the loss is a mean of its tokens and not their sum. */
  isMean: boolean;
}

/** Sends the gradients of a step: by the engine's own loss where it has the one that is asked for, else by one computed here. */
export function startPass(options: {
  model: EngineModel;
  recipe: Recipe;
  traits: EngineTraits;
  sequences: readonly TrainingSequence[];
  /** Log probabilities under the start weights, one array per sequence. */
  reference?: readonly Float32Array[] | undefined;
  /** The loss of a file, where the recipe names one. */
  own?: OwnLoss | undefined;
}): StartedPass {
  const { model, recipe, traits, sequences, reference } = options;
  const algorithm = readAlgorithm(recipe.tinker);
  const { aggregation } = algorithm;
  const length = algorithm.length ?? recipe.env.max_token_length;
  if (options.own !== undefined) {
    const loss = guard(createOwnLoss({ own: options.own, sequences, reference }), algorithm.loss);
    // It is told as it is: whether it adds up or takes means is the author's.
    return { ...computeHere({ model, sequences, loss }), bounds: undefined, isMean: true };
  }
  const policyLoss = findPolicyLoss(algorithm.loss);
  if (policyLoss === undefined) throw refuseLoss(algorithm.loss);
  const isMean = aggregation !== 'token_sum';
  const bounds = policyLoss.ratio === 'token' ? algorithm.bounds : undefined;
  const isPlain = algorithm.correction === 'none' && algorithm.entropyCoefficient === 0 && reference === undefined;
  const { engine } = policyLoss;
  if (engine !== undefined && isPlain && (traits.losses ?? [engine]).includes(engine)) {
    const datums = weighAdvantages({ sequences, aggregation, length }).map((datum) =>
      traits.wantsWeights ? datum : withoutWeights(datum),
    );
    const pass = model.forwardBackward(datums, { loss: engine, config: toConfig(algorithm.bounds) });
    return { result: pass, submitted: pass.submitted, bounds, isMean };
  }
  const loss = createPolicyLoss(toPolicyLossOptions({ algorithm, policyLoss, length, sequences, reference }));
  return { ...computeHere({ model, sequences, loss }), bounds, isMean };
}

/** A loss that the engine has not: its gradient is carried there. */
function computeHere(options: {
  model: EngineModel;
  sequences: readonly TrainingSequence[];
  loss: CustomLoss;
}): Pick<StartedPass, 'result' | 'submitted'> {
  const { model, sequences, loss } = options;
  const pass = model.customLoss(
    sequences.map(({ datum }) => datum),
    loss,
  );
  const result = pass.then(({ logprobs, metrics }) => ({
    logprobs: logprobs.map((row) => Float32Array.from(row)),
    metrics,
    policy: Object.fromEntries(
      Object.entries(metrics).flatMap(([name, value]) =>
        name.startsWith('policy:') ? [[name.slice('policy:'.length), value]] : [],
      ),
    ),
  }));
  // The gradients are there when both of its passes have ended, not when the first was taken.
  return { result, submitted: result };
}

const guard =
  (loss: CustomLoss, file: string): CustomLoss =>
  (input) => {
    try {
      return loss(input);
    } catch (error) {
      throw describeFailure({ key: 'loss', file }, 'on a batch of the run', error);
    }
  };

const refuseLoss = (loss: string): TrainerError =>
  new TrainerError({ kind: 'settings', message: `There is no loss ${loss}. Look at loss of the section tinker.` });

function withoutWeights(datum: TrainingSequence['datum']): Datum {
  const { weights: _weights, ...inputs } = datum.inputs;
  return { ...datum, inputs };
}

const toConfig = (bounds: { low: number; high: number } | undefined): PassOptions['config'] =>
  bounds === undefined ? undefined : { clip_low_threshold: bounds.low, clip_high_threshold: bounds.high };
