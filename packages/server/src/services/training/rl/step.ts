import { LOSSES, type TrainerSection } from '@lachesis/protocol';
import { ClientError } from '@lachesis/sdk';
import { type PassOptions, TinkerStoppedError, type Datum } from '@lachesis/tinker';
import { toAck, type PreparedBatch } from './batch-source.ts';
import type { EngineModel } from '../engine/engine.ts';
import { TrainerError } from '../trainer-error.ts';
import type { StepReport } from './metrics/step-report.ts';
import { compareLogprobs } from './numerics/compare-logprobs.ts';
import { findAlarms } from './numerics/find-alarms.ts';
import { optimizerAt } from './optimizer-at.ts';
import type { TrainerDeps } from './deps.ts';
import { publishPolicy } from './publish-policy.ts';
import { POISONED } from './recover.ts';
import type { KlFacts } from './rlhf/penalise-kl.ts';
import { savePolicy } from './save-policy.ts';

type LossConfig = NonNullable<PassOptions['config']>;

export interface StepInput {
  deps: TrainerDeps;
  model: EngineModel;
  prepared: PreparedBatch;
  /** The version of the weights before the step. */
  policyVersion: number;
  /** The end of the step before: policies are published in their order. */
  before: Promise<unknown>;
  /** Distance of the batch from the start weights, where it is measured. */
  kl?: KlFacts | undefined;
  signal: AbortSignal;
}

/** A step the engine has in its line. */
export interface SubmittedStep {
  /** Resolves when its weights are served, its batch is settled and its report is written. */
  finished: Promise<StepReport>;
}

/**
 * Sends a step to the engine: gradients, optimiser, weights. Resolves as soon as the engine has taken them, so that the
 * next batch can be sent behind; the ledger is written before each thing that cannot be taken back.
 */
export async function submitStep(input: StepInput): Promise<SubmittedStep> {
  const { deps, model, prepared } = input;
  const { ledger, journal, recipe, clock, engine } = deps;
  const { step, converted } = prepared;
  const startedAt = clock.now();
  const { modelId } = model.model;
  // If we die after this line: the journal says whether the engine took anything from this number on.
  await ledger.advance(step, { state: 'submitted', modelId, firstSequence: journal.nextSequence(modelId) });
  const datums = converted.sequences.map(({ datum }) => (engine.traits.wantsWeights ? datum : withoutWeights(datum)));
  const pass = model.forwardBackward(datums, { loss: recipe.tinker.loss, config: lossConfig(recipe.tinker) });
  // Whoever fails first is heard by the one who waits for `finished`; the others must not end the process.
  pass.catch(ignore);
  await pass.submitted;
  // If we die after this line: the gradients are all there, and the next process runs the optimiser.
  await ledger.advance(step, { state: 'passed' });
  const optimizer = optimizerAt(recipe, step);
  const optim = model.optimStep(optimizer);
  optim.catch(ignore);
  await optim.submitted;
  const version = input.policyVersion + 1;
  const saving = savePolicy(model, version, engine.traits);
  const checkpoint = isCheckpointDue(deps, step) ? model.saveState(`checkpoint-${step}`) : undefined;
  saving.catch(ignore);
  checkpoint?.catch(ignore);

  const finish = async (): Promise<StepReport> => {
    const [passed, stepped] = await Promise.all([pass, optim]).catch((error: unknown) => markPoisoned(input, error));
    await ledger.advance(step, { state: 'stepped' });
    const saved = await saving;
    // If we die after this line: the weights are saved, and the next process publishes them.
    await ledger.advance(step, { state: 'saved', policyVersion: version, ...saved });
    const engineSeconds = (clock.now() - startedAt) / 1000;
    if (checkpoint !== undefined) {
      const { path } = await checkpoint;
      const weightsPath = saved.weightsPath;
      await deps.checkpoints.add({
        step,
        policyVersion: version,
        modelId,
        statePath: path,
        weightsPath,
        isFinal: step >= recipe.env.total_steps,
      });
      await deps.retention.prune();
    }
    await input.before;
    const publishedAt = clock.now();
    const policy = { version, step, weightsPath: saved.weightsPath, baseModel: model.model.baseModel };
    await publishPolicy(deps, policy, input.signal);
    const publishedSeconds = (clock.now() - publishedAt) / 1000;
    await settle(deps, prepared, version);
    const comparison = compareLogprobs({
      sequences: converted.sequences,
      logprobs: passed.logprobs,
      policyVersion: input.policyVersion,
      bounds: clipBounds(recipe.tinker),
    });
    return {
      step,
      totalSteps: recipe.env.total_steps,
      policyVersion: version,
      learningRate: optimizer.learningRate,
      facts: converted.facts,
      loss: { sum: passed.metrics['loss:sum'] ?? Number.NaN },
      comparison,
      kl: input.kl,
      optimizer: stepped.metrics,
      staleness: stalenessOf(prepared, input.policyVersion),
      alarms: findAlarms(comparison, recipe.tinker),
      times: {
        total: (clock.now() - startedAt) / 1000,
        waited: prepared.waitedSeconds,
        converted: prepared.convertedSeconds,
        engine: engineSeconds,
        published: publishedSeconds,
      },
    };
  };
  const finished = finish();
  finished.catch(ignore);
  return { finished };
}

/** A batch that holds nothing to learn from: it is settled, and the weights stay as they are. */
export async function skipStep({ deps, prepared, policyVersion }: StepInput): Promise<StepReport> {
  const { recipe } = deps;
  const { step, converted } = prepared;
  const { leftOut, groups } = converted.facts;
  if (leftOut['no-logprobs'] !== undefined && leftOut.dead === undefined) {
    throw new TrainerError({
      kind: 'no-logprobs',
      message:
        `None of the ${groups} groups of step ${step} carries the log probabilities of its tokens, so there is nothing to weigh them with. ` +
        'Let the environment sample from our inference server (or another that returns token ids and log probabilities) and send inference_logprobs.',
    });
  }
  await settle(deps, prepared, policyVersion, 'empty');
  return {
    step,
    totalSteps: recipe.env.total_steps,
    policyVersion,
    learningRate: optimizerAt(recipe, step).learningRate,
    facts: converted.facts,
    loss: undefined,
    comparison: undefined,
    optimizer: {},
    staleness: stalenessOf(prepared, policyVersion),
    alarms: [],
    times: {
      total: prepared.waitedSeconds,
      waited: prepared.waitedSeconds,
      converted: prepared.convertedSeconds,
      engine: 0,
      published: 0,
    },
  };
}

/** Tells the trajectory API that the batch was trained on. Whatever it says, the step is in the weights. */
async function settle(
  { client, ledger, log, source }: TrainerDeps,
  { batch, step, release }: PreparedBatch,
  policyVersion: number,
  state: 'done' | 'empty' = 'done',
): Promise<void> {
  try {
    await client.ack(batch, toAck({ step, policyVersion }));
  } catch (error) {
    if (!ClientError.isInstance(error) || error.retryable) throw error;
    source.noteUnsettled(batch.batch_id);
    log.warn(
      { err: error, batch: batch.batch_id, step },
      'the lease ended before the step; the batch is settled when it comes back',
    );
  } finally {
    // Renewed until here: while the server is away the acknowledgement is tried for longer than a lease runs.
    release();
  }
  await ledger.advance(step, { state });
}

async function markPoisoned({ deps, prepared }: StepInput, error: unknown): Promise<never> {
  if (!TinkerStoppedError.isInstance(error)) throw error;
  await deps.ledger.advance(prepared.step, { state: 'lost', reason: POISONED });
  throw new TrainerError({
    kind: 'not-finite',
    message:
      `Step ${prepared.step} gave numbers that are not finite: ${error.message} The weights of this model are spoilt. ` +
      'Start the trainer again: it goes back to the last saved state. If it happens again, lower the learning rate.',
    cause: error,
  });
}

function stalenessOf({ converted }: PreparedBatch, policyVersion: number): StepReport['staleness'] {
  let count = 0;
  let sum = 0;
  let max = 0;
  for (const { versions } of converted.sequences) {
    if (versions === undefined) continue;
    const age = Math.max(0, policyVersion - versions.oldest);
    count += 1;
    sum += age;
    max = Math.max(max, age);
  }
  return count === 0 ? undefined : { mean: sum / count, max };
}

function isCheckpointDue({ recipe }: TrainerDeps, step: number): boolean {
  const { save_checkpoint_interval: interval } = recipe.tinker;
  return step >= recipe.env.total_steps || (interval > 0 && step % interval === 0);
}

function withoutWeights(datum: PreparedBatch['converted']['sequences'][number]['datum']): Datum {
  const { weights: _weights, ...inputs } = datum.inputs;
  return { ...datum, inputs };
}

/** Only what the recipe says; the client completes it with the loss's own bounds. */
function lossConfig({
  loss,
  clip_low_threshold: low,
  clip_high_threshold: high,
}: TrainerSection): LossConfig | undefined {
  if (LOSSES[loss].clip === undefined) return undefined;
  return {
    ...(typeof low === 'number' ? { clip_low_threshold: low } : {}),
    ...(typeof high === 'number' ? { clip_high_threshold: high } : {}),
  };
}

/** What counts as clipped in the metrics: the bounds of the loss, and those of ppo where it has none. */
function clipBounds({ loss, clip_low_threshold: low, clip_high_threshold: high }: TrainerSection): {
  low: number;
  high: number;
} {
  const bounds = LOSSES[loss].clip ?? LOSSES.ppo.clip;
  return { low: low ?? bounds.low, high: high ?? bounds.high };
}

const ignore = (): void => undefined;
