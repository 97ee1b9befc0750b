import {
  TinkerNotFoundError,
  TinkerProtocolError,
  type JournalFile,
  type OperationHandle,
  type PassResult,
} from '@lachesis/tinker';
import type { TrainingEngine, EngineTraits } from '../engine/engine.ts';
import type { WatchedJournal } from '../engine/watched-journal.ts';
import type { RecordModel } from '../records/method.ts';

/** What a model of the fake engine holds: the first targets of the batches its weights were made of, in order. */
interface FakeModel {
  weights: number[];
  /** Gradients that are not applied. */
  gradients: number[];
  /** Requests by number: a number that comes twice is the same request. */
  requests: Map<number, unknown>;
}

/** What an engine answers instead of the constants that tests count on. */
export interface FakeAnswers {
  baseModel?: string;
  /** What the trainer gives a token that the sampler gave so much. */
  logprobOf?: (sampled: number) => number;
  /** Of a whole pass. */
  lossOf?: (targets: number) => number;
  optimizerMetrics?: () => Record<string, number>;
}

/** An engine that outlives the trainers that use it. */
export class FakeEngine {
  readonly models = new Map<string, FakeModel>();
  readonly saved = new Map<string, number[]>();
  readonly traits: EngineTraits;
  /** What a forward pass gives each token. */
  referenceLogprob = -1;
  #made = 0;
  readonly #answers: FakeAnswers;

  constructor(traits: Partial<EngineTraits> = {}, answers: FakeAnswers = {}) {
    this.#answers = answers;
    this.traits = {
      wantsWeights: true,
      savesStateWithWeights: true,
      repeatsSafely: true,
      clipNote: undefined,
      ...traits,
    };
  }

  /** The engine restarts: models are gone, what was saved is not. */
  loseModels(): void {
    this.models.clear();
  }

  /** A client of this engine, as one process has it. `touch` is called before and after everything that leaves a mark. */
  connect(journal: WatchedJournal, touch: () => void): TrainingEngine {
    const open = (modelId: string): RecordModel => this.#open(modelId, journal, touch);
    const make = (weights: number[]): string => {
      const modelId = `m${(this.#made += 1)}`;
      this.models.set(modelId, { weights, gradients: [], requests: new Map() });
      return modelId;
    };
    return {
      traits: this.traits,
      hasInitialState: false,
      create: async () => {
        touch();
        return open(make([]));
      },
      restore: async (path) => {
        touch();
        const weights = this.saved.get(path);
        if (weights === undefined) throw notFound();
        return open(make([...weights]));
      },
      attach: async (modelId) => open(modelId),
      listOpen: async () => [...this.models.keys()],
      discard: async (path) => void this.saved.delete(path),
      close: async () => undefined,
    };
  }

  #open(modelId: string, journal: WatchedJournal, touch: () => void): RecordModel {
    let next = journal.nextSequence(modelId);
    const run = <T>(operation: string, work: (model: FakeModel) => T): OperationHandle<T> => {
      const submitted = Promise.withResolvers<void>();
      submitted.promise.catch(() => undefined);
      const perform = async (): Promise<T> => {
        try {
          touch();
          const model = this.models.get(modelId);
          if (model === undefined) throw notFound();
          const sequence = next;
          // As SkyRL has it, where repeating is not safe: gradients and steps have numbers, saves have none.
          const isNumbered = this.traits.repeatsSafely || !operation.startsWith('save');
          const reply = isNumbered && model.requests.has(sequence) ? model.requests.get(sequence) : work(model);
          if (isNumbered) model.requests.set(sequence, reply);
          touch();
          next += 1;
          journal.file.append(`${JSON.stringify({ kind: 'submitted', modelId, seqId: sequence, operation })}\n`);
          touch();
          submitted.resolve();
          return reply as T;
        } catch (error) {
          submitted.reject(error);
          throw error;
        }
      };
      const result = line.then(perform);
      line = result.catch(() => undefined);
      return Object.assign(result, { submitted: submitted.promise, requestId: undefined });
    };
    let line: Promise<unknown> = Promise.resolve();
    const save = (kind: string, name: string) => (model: FakeModel) => {
      const path = `tinker://${modelId}/${kind}/${name}`;
      this.saved.set(path, [...model.weights]);
      return { path };
    };
    return {
      model: { modelId, baseModel: this.#answers.baseModel ?? 'base' },
      forwardBackward: (datums) =>
        run('forward_backward', (model): PassResult => {
          const targets = datums.map((datum) => datum.inputs['target_tokens'] as Int32Array);
          model.gradients.push(targets[0]![0]!);
          const { logprobOf = () => -1, lossOf = () => -1 } = this.#answers;
          const logprobs = datums.map(({ inputs }, index) => {
            const sampled = inputs['logprobs'] as Float32Array | undefined;
            return Float32Array.from(targets[index]!, (_, position) => logprobOf(sampled?.[position] ?? -1));
          });
          const loss = lossOf(targets.reduce((sum, { length }) => sum + length, 0));
          return { logprobs, outputs: [], metrics: { 'loss:sum': loss }, computedMetrics: [], normalisation: 'sum' };
        }),
      forward: (datums) =>
        run('forward', (): PassResult => {
          const logprobs = datums.map(({ inputs }) =>
            new Float32Array((inputs['target_tokens'] as Int32Array).length).fill(this.referenceLogprob),
          );
          return { logprobs, outputs: [], metrics: {}, computedMetrics: [], normalisation: 'sum' };
        }),
      customLoss: (datums, loss) => {
        const forward = datums.map(({ inputs }) =>
          new Float32Array((inputs['target_tokens'] as Int32Array).length).fill(this.referenceLogprob),
        );
        const { metrics, loss: value } = loss({ logprobs: forward, datums });
        return run('forward_backward', (model) => {
          model.gradients.push((datums[0]!.inputs['target_tokens'] as Int32Array)[0]!);
          const surrogate = {
            logprobs: forward,
            outputs: [],
            metrics: {},
            computedMetrics: [],
            normalisation: 'sum' as const,
          };
          return {
            metrics: { ...metrics, 'loss:sum': value },
            loss: value,
            logprobs: forward,
            surrogate,
            surrogateLoss: 'importance_sampling' as const,
          };
        });
      },
      optimStep: () =>
        run('optim_step', (model) => {
          model.weights.push(...model.gradients.splice(0));
          return { metrics: this.#answers.optimizerMetrics?.() ?? {} };
        }),
      saveForSampler: async (name) => {
        const saved = run('save_weights_for_sampler', save('sampler_weights', name));
        const state = this.traits.savesStateWithWeights ? run('save_weights', save('weights', name)) : undefined;
        const [path] = await Promise.all([saved.then(readPath), state?.then(readPath)]);
        return path;
      },
      saveState: async (name) => readPath(await run('save_weights', save('weights', name))),
      close: async () => void this.models.delete(modelId),
    };
  }
}

/** As the real client: the answer to another request, which a reused number brings, has no path. */
function readPath(reply: { path?: string }): { path: string } {
  if (reply.path === undefined) throw new TinkerProtocolError({ operation: 'fake', reason: 'it has no path' });
  return { path: reply.path };
}

const notFound = (): TinkerNotFoundError => new TinkerNotFoundError({ operation: 'fake', status: 404 });

/** A journal in memory, which outlives its writers. */
export function createMemoryJournal(): JournalFile {
  let text = '';
  return { read: () => text, append: (more) => void (text += more) };
}
