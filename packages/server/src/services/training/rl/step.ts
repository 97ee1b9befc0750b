import { lastStepOf, LOSSES } from '@lachesis/protocol';
import { ClientError } from '@lachesis/sdk';
import { TinkerStoppedError } from '@lachesis/tinker';
import { toAck, type PreparedBatch } from './batch-source.ts';
import type { EngineModel } from '../engine/engine.ts';
import { TrainerError } from '../trainer-error.ts';
import type { StepReport } from './metrics/step-report.ts';
import { compareLogprobs } from './numerics/compare-logprobs.ts';
import { findAlarms } from './numerics/find-alarms.ts';
import { optimizerAt } from './optimizer-at.ts';
import type { TrainerDeps } from './deps.ts';
import { planUpdates } from './plan-updates.ts';
import { publishPolicy } from './publish-policy.ts';
import { POISONED } from './recover.ts';
import { startPass, type StartedPass } from './losses/start-pass.ts';
import type { DistillFacts } from './distill/add-teacher-term.ts';
import type { KlFacts } from './rlhf/penalise-kl.ts';
import { savePolicy } from './save-policy.ts';

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
  /** What teachers said about it, where there are some. */
  distill?: DistillFacts | undefined;
  /** Log probabilities under the start weights, one array per sequence, where the loss has a term of them. */
  reference?: readonly Float32Array[] | undefined;
  /** Batches in a row up to this one that held nothing to learn from. */
  emptyBatches?: number | undefined;
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
  const updates = planUpdates(converted.sequences.length, recipe.tinker);
  const optimizer = optimizerAt(recipe, step);
  const passes: (StartedPass & { epoch: number })[] = [];
  const optims: ReturnType<EngineModel['optimStep']>[] = [];
  for (const [index, { epoch, from, to }] of updates.entries()) {
    const firstSequence = journal.nextSequence(modelId);
    const pass = startPass({
      ...{ model, recipe, traits: engine.traits, sequences: converted.sequences.slice(from, to) },
      ...{ reference: input.reference?.slice(from, to), own: deps.own.loss },
    });
    // Whoever fails first is heard by the one who waits for `finished`; the others must not end the process.
    pass.result.catch(ignore);
    passes.push({ ...pass, epoch });
    await pass.submitted;
    // If we die after this line: the gradients are all there, and the next process runs the optimiser. Of a step that has
    // further updates it cannot know what is in the weights, and goes back to the last state.
    await ledger.advance(
      step,
      index === updates.length - 1 ? { state: 'passed', firstSequence } : { state: 'updating' },
    );
    const optim = model.optimStep(optimizer);
    optim.catch(ignore);
    optims.push(optim);
    await optim.submitted;
  }
  const version = input.policyVersion + 1;
  const saving = savePolicy(model, version, engine.traits);
  const checkpoint = isCheckpointDue(deps, step) ? model.saveState(`checkpoint-${step}`) : undefined;
  saving.catch(ignore);
  checkpoint?.catch(ignore);

  const finish = async (): Promise<StepReport> => {
    const [passed, stepped] = await Promise.all([joinPasses(passes), Promise.all(optims)]).catch((error: unknown) =>
      markPoisoned(input, error),
    );
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
        isFinal: step >= lastStepOf(recipe),
      });
      await deps.retention.prune();
    }
    await input.before;
    const publishedAt = clock.now();
    const policy = { version, step, weightsPath: saved.weightsPath, baseModel: model.model.baseModel };
    await publishPolicy(deps, policy, input.signal);
    const publishedSeconds = (clock.now() - publishedAt) / 1000;
    await settle(deps, prepared, version);
    // If we die before this line: the next process registers what is in the list. Nobody waits for it as for new weights.
    if (checkpoint !== undefined) await deps.registerCheckpoints();
    await deps.rollouts?.record({
      ...{ step, batchId: prepared.batch.batch_id, policyVersion: input.policyVersion, converted },
      ...{ baseModel: model.model.baseModel, logprobs: passed.logprobs },
    });
    const comparison = compareLogprobs({
      sequences: converted.sequences,
      logprobs: passed.logprobs,
      policyVersion: input.policyVersion,
      bounds: passes[0]?.bounds ?? LOSSES.ppo.clip,
    });
    return {
      step,
      totalSteps: lastStepOf(recipe),
      policyVersion: version,
      learningRate: optimizer.learningRate,
      facts: converted.facts,
      emptyBatches: input.emptyBatches,
      updates: updates.length,
      loss: passed.loss,
      policy: passed.policy,
      comparison,
      ...{ kl: input.kl, distill: input.distill },
      optimizer: stepped.at(-1)?.metrics ?? {},
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

/**
 * What the first pass over a batch told, part by part: later parts were seen by weights that the ones before had moved, as
 * were all parts of later epochs.
 */
async function joinPasses(passes: readonly (StartedPass & { epoch: number })[]): Promise<{
  logprobs: Float32Array[];
  loss: { sum: number; isMean: boolean };
  policy: Readonly<Record<string, number>> | undefined;
}> {
  const results = await Promise.all(passes.map(({ result }) => result));
  const first = results.filter((_, index) => passes[index]!.epoch === 0);
  const isMean = passes[0]?.isMean ?? false;
  const sum = first.reduce((total, { metrics }) => total + (metrics['loss:sum'] ?? Number.NaN), 0);
  return {
    logprobs: first.flatMap(({ logprobs }) => logprobs),
    loss: { sum: isMean ? sum / first.length : sum, isMean },
    policy: first[0]?.policy,
  };
}

/**
 * A batch that holds nothing to learn from: it is settled, and the weights stay as they are. Where it does not count, its
 * number is that of the next batch, and so are rollouts and series of that number.
 */
export async function skipStep({
  deps,
  model,
  prepared,
  policyVersion,
  emptyBatches,
  isCounted,
}: StepInput & { isCounted: boolean }): Promise<StepReport> {
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
  await settle(deps, prepared, policyVersion, isCounted ? 'empty' : 'uncounted');
  const { baseModel } = model.model;
  if (isCounted) {
    await deps.rollouts?.record({ step, batchId: prepared.batch.batch_id, policyVersion, baseModel, converted });
  }
  return {
    step,
    totalSteps: lastStepOf(recipe),
    policyVersion,
    learningRate: optimizerAt(recipe, step).learningRate,
    facts: converted.facts,
    emptyBatches,
    ...(isCounted ? {} : { isUncounted: true }),
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
  state: 'done' | 'empty' | 'uncounted' = 'done',
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
    // Not done yet: whoever goes on after us has to know that it is still to be settled.
    if (state === 'done') return;
  } finally {
    // Renewed until here: while the server is away the acknowledgement is tried for longer than a lease runs.
    release();
  }
  // If we die before this line: its lease is over, and the next process frees the number.
  if (state === 'uncounted') await ledger.setAside(step);
  else await ledger.advance(step, { state });
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
  return step >= lastStepOf(recipe) || (interval > 0 && step % interval === 0);
}

const ignore = (): void => undefined;
