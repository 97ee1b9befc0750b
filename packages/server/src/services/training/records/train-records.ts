import { TinkerStoppedError } from '@lachesis/tinker';
import { TrainerError } from '../trainer-error.ts';
import { POISONED } from '../rl/recover.ts';
import { measureExamples } from './measure-examples.ts';
import type { RecordExample, RecordModel } from './method.ts';
import { optimizerOf } from './optimizer-of.ts';
import type { RecordDeps } from './deps.ts';
import { recoverRecords } from './recover-records.ts';
import { addReference } from './reference-logprobs.ts';
import { saveCheckpoint, type SavedCheckpoint } from './save-checkpoint.ts';

export interface TrainRecordsOptions extends RecordDeps {
  /** Digest of the data set. */
  datasetDigest: string;
  /** Told just before the last weights are saved; when it has resolved, these numbers are on disk. */
  saveMetrics(metrics: Readonly<Record<string, number>>): Promise<void>;
}

export interface TrainedRecords {
  state: 'finished' | 'stopped';
  origin: 'attached' | 'new' | 'restored';
  step: number;
  baseModel: string;
  saved: SavedCheckpoint | undefined;
  /** The last value of each series that this process wrote. */
  metrics: Record<string, number>;
}

/** Trains to the last step of the order, or until the signal. Each step is noted before the engine sees it. */
export async function trainRecords(options: TrainRecordsOptions): Promise<TrainedRecords> {
  const { method, settings, order, ledger, sink, signal, clock, wallClock, log } = options;
  const { totalSteps } = order;
  const last: Record<string, number> = {};
  const recovered = await recoverRecords(options);
  const { model, origin } = recovered;
  const { baseModel } = model.model;
  let { step } = recovered;
  const tell = (phase: Parameters<RecordDeps['onProgress']>[0]['phase'], detail: string): void =>
    options.onProgress({ phase, detail, step, totalSteps });
  if (settings.grad_clip_norm > 0 && options.engine.traits.clipNote !== undefined) {
    log.warn(
      { grad_clip_norm: settings.grad_clip_norm },
      `gradients are not clipped: ${options.engine.traits.clipNote}`,
    );
  }
  const { examples, measured } = await prepare(options, recovered, tell);

  const write = async (values: Record<string, number>): Promise<void> => {
    Object.assign(last, values);
    await sink.write({ step, at: wallClock(), values });
  };
  const evaluate = async (): Promise<void> => {
    if (measured.length === 0) return;
    tell('evaluate', `measuring ${measured.length} examples`);
    await write(await measureExamples({ method, model, examples: measured, batchSize: settings.batch_size }));
  };

  if (step === 0) await evaluate();
  tell('train', step === 0 ? `training on ${examples.length} examples` : `going on after step ${step} (${origin})`);
  while (step < totalSteps && !signal.aborted) {
    const startedAt = clock.now();
    const next = step + 1;
    const metrics = await makeStep(options, { model, step: next, batch: pick(examples, order.batchAt(next)) });
    step = next;
    await write({ ...metrics, 'time/step': (clock.now() - startedAt) / 1000 });
    options.onProgress({ phase: 'train', detail: `step ${step} of ${totalSteps}`, step, totalSteps, metrics });
    if (step === totalSteps) break;
    if (step % settings.save_every === 0) await saveCheckpoint(options, { model, step, isFinal: false });
    if (settings.eval_every > 0 && step % settings.eval_every === 0) await evaluate();
  }
  const isFinished = step >= totalSteps;
  if (isFinished) {
    await evaluate();
    await options.saveMetrics(last);
  }
  tell('save', `saving the weights after step ${step}`);
  const saved = step === 0 ? undefined : await saveCheckpoint(options, { model, step, isFinal: isFinished });
  // The model is saved and goes with the session: nobody is to find it and take it for one that is being trained.
  return { state: isFinished ? 'finished' : 'stopped', origin, step, baseModel, saved, metrics: last };

  async function makeStep(
    deps: RecordDeps,
    { model: on, step: number, batch }: { model: RecordModel; step: number; batch: readonly RecordExample[] },
  ): Promise<Record<string, number>> {
    const { modelId } = on.model;
    await ledger.open({
      step: number,
      batchId: `${deps.datasetId}/${number}`,
      epoch: 0,
      groupCount: batch.length,
    });
    // If we die after this line: the journal says whether the engine took anything from this number on.
    const firstSequence = deps.journal.nextSequence(modelId);
    await ledger.advance(number, { state: 'submitted', modelId, firstSequence });
    const optimizer = optimizerOf(settings, { step: number, totalSteps });
    try {
      const { metrics } = await method.pass(on, batch);
      // If we die after this line: the gradients are all there, and the next process runs the optimiser.
      await ledger.advance(number, { state: 'passed' });
      const stepped = await on.optimStep(optimizer);
      // If we die before this line: the journal says that the engine took the optimiser.
      await ledger.advance(number, { state: 'done' });
      return {
        ...metrics,
        'train/learning_rate': optimizer.learningRate,
        'train/epoch': order.epochAfter(number),
        // `skyrl.ai/grad_norm` and `grad_norm` are the same to a reader.
        ...Object.fromEntries(
          Object.entries(stepped.metrics).map(([name, value]) => [`optimizer/${name.split('/').at(-1)}`, value]),
        ),
      };
    } catch (error) {
      if (!TinkerStoppedError.isInstance(error)) throw error;
      await ledger.advance(number, { state: 'lost', reason: POISONED });
      throw new TrainerError({
        kind: 'not-finite',
        message:
          `Step ${number} gave numbers that are not finite: ${error.message} The weights of this model are spoilt. ` +
          'Take another run name and a lower learning rate; the same run goes back to its last saved state.',
        cause: error,
      });
    }
  }
}

/** Adds the logprobs of the frozen start weights where the method asks for them. */
async function prepare(
  options: TrainRecordsOptions,
  { model, step, origin }: Awaited<ReturnType<typeof recoverRecords>>,
  tell: (phase: 'reference', detail: string) => void,
): Promise<{ examples: readonly RecordExample[]; measured: readonly RecordExample[] }> {
  const { method, settings, engine, examples, measured } = options;
  if (!method.needsReference) return { examples, measured };
  // Before its first step a new model is the reference itself.
  const isReference = origin === 'new' && step === 0;
  const all = await addReference({
    examples: [...examples, ...measured],
    weights: { baseModel: model.model.baseModel, state: engine.hasInitialState ? settings.initial_state : null },
    dataset: options.datasetDigest,
    batchSize: settings.batch_size,
    cache: options.reference,
    openModel: async () => {
      if (isReference) return { model, release: async () => undefined };
      const own = await engine.create();
      return { model: own, release: () => own.close() };
    },
    onProgress: (done) =>
      tell('reference', `measured ${done} of ${examples.length + measured.length} by the start weights`),
    signal: options.signal,
  });
  return { examples: all.slice(0, examples.length), measured: all.slice(examples.length) };
}

const pick = (examples: readonly RecordExample[], places: readonly number[]): RecordExample[] =>
  places.map((place) => examples[place]!);
