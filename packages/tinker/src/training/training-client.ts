import { decodeForwardBackwardOutput } from '../codec/decode-forward-backward.ts';
import { toTensor } from '../codec/tensor.ts';
import type { Datum, ForwardBackwardOutput, LossConfig, LossOutput } from '../codec/datum.ts';
import { forwardBackwardOutputFromJson, readMetrics } from '../codec/json-forward-backward.ts';
import { TinkerProtocolError, TinkerStoppedError } from '../errors/client-errors.ts';
import { TinkerConflictError, TinkerValidationError } from '../errors/server-errors.ts';
import { readText, toObject } from '../link/server-link.ts';
import type { ServerLink } from '../link/server-link.ts';
import { runCustomLoss } from '../losses/run-custom-loss.ts';
import type { CustomLossOutcome } from '../losses/run-custom-loss.ts';
import type { CustomLoss } from '../losses/custom-loss.ts';
import type { Deadline, WaitOptions } from '../transport/deadline.ts';
import type { Reply } from '../transport/reply.ts';
import { checkDatums } from './check-datums.ts';
import { combineOutputs } from './combine-outputs.ts';
import { compensateAdvantages } from './compensate-advantages.ts';
import { completeConfig, computeLossSum, isLinearInAdvantages } from './losses.ts';
import { OperationQueue } from './operation-queue.ts';
import type { Operation, OperationHandle } from './operation-queue.ts';
import { refuseOperation, refuseStopped } from './refuse-operation.ts';
import { loadOnce } from './load-once.ts';
import { optimizerToJson } from './optimizer.ts';
import type { OptimizerParams } from './optimizer.ts';
import { postTraining, prepareTraining } from './post-training.ts';
import type { PreparedTraining } from './post-training.ts';
import { saveOperation } from './save-operation.ts';
import type { SaveOptions, SaveTarget } from './save-operation.ts';
import { splitDatums } from './split-datums.ts';

/** `sum`: the gradient of the summed loss, on every server. `server`: whatever the server makes of it. */
export type NormalisationChoice = 'server' | 'sum';

/** Which loss a forward and backward pass computes, and how it is normalised. */
export interface PassOptions extends WaitOptions {
  /** Such as `cross_entropy`, `importance_sampling`, `ppo`, `cispo`. */
  loss: string;
  /** Clip thresholds and the like; those of ppo, cispo and dro are always sent. */
  config?: LossConfig | undefined;
  /** Overrides the client's choice for this call. */
  normalisation?: NormalisationChoice | undefined;
  /**
   * Sequences that all calls before the next optimiser step bring together. Needed where a server divides by their number
   * and one step is made of several calls; default: those of this call.
   */
  sequencesInStep?: number | undefined;
}

/** What a pass gave: log probabilities, outputs of the loss and metrics. */
export interface PassResult {
  /** The learner's log probabilities of the targets, one array per datum. */
  logprobs: Float32Array[];
  /** Everything the loss returned, per datum. */
  outputs: LossOutput[];
  metrics: Record<string, number>;
  /** Metrics the server did not send and this client worked out, such as `loss:sum`. */
  computedMetrics: readonly string[];
  /** What the gradient is: the sum that was asked for, or the server's own normalisation. */
  normalisation: NormalisationChoice;
}

export interface TrainingModel {
  modelId: string;
  sessionId: string;
  baseModel: string;
  rank: number | undefined;
  vocabularySize: number | undefined;
  maxLength: number | undefined;
}

export interface TrainingClientOptions {
  link: ServerLink;
  model: TrainingModel;
  normalisation: NormalisationChoice;
  nextSeqId: number;
  isUncertain?: boolean;
  /** Numbers for samplers that live as long as the session. */
  nextSamplerSeqId: () => number;
  onClosed?: () => void;
}

/**
 * Trains one model: passes, optimiser steps, saved weights. Calls may be made ahead of their results: they reach the
 * server in the order of the calls.
 */
export class TrainingClient {
  readonly model: Readonly<TrainingModel>;
  readonly #options: TrainingClientOptions;
  readonly #link: ServerLink;
  readonly #queue: OperationQueue;
  /** Sequences whose gradients the server holds and has not applied. */
  #sequencesPending = 0;
  /** The model is of a process that died, maybe between a gradient and its step. */
  #mayHoldGradients: boolean;
  /** Passes whose fate was open when the next optimiser step was called. */
  #openPasses = new Set<{ error: Error | undefined }>();
  readonly #reported = new Set<string>();
  #stopReason: string | undefined;
  #isPoisoned = false;
  #closing: Promise<void> | undefined;

  constructor(options: TrainingClientOptions) {
    this.#options = options;
    this.#link = options.link;
    this.model = Object.freeze({ ...options.model });
    const { link, nextSeqId, isUncertain = false } = options;
    this.#mayHoldGradients = isUncertain;
    this.#queue = new OperationQueue({ link, modelId: options.model.modelId, nextSeqId, isUncertain });
  }

  /** Adds the gradient of the loss to what the next optimiser step applies. The arrays are read until `submitted`. */
  forwardBackward(datums: readonly Datum[], options: PassOptions): OperationHandle<PassResult> {
    const pass: { error: Error | undefined } = { error: undefined };
    this.#openPasses.add(pass);
    const handle = this.#pass(datums, options, false, (operation, wait) => this.#queue.run(operation, wait));
    const forget = (): void => void this.#openPasses.delete(pass);
    handle.submitted.then(forget, (error: Error) => {
      // Gradients that are on the server although the reply was lost are there for the step.
      if (!TinkerConflictError.isInstance(error) || !error.tookEffect) pass.error = error;
    });
    // Runs before any handler of the caller: a step it calls after it heard of the failure is its own decision, while one
    // it called ahead has taken this pass along and is held back.
    handle.catch(forget);
    return handle;
  }

  /** The log probabilities of the targets, without a gradient. */
  forward(datums: readonly Datum[], options: Partial<PassOptions> = {}): OperationHandle<PassResult> {
    return this.#pass(datums, { loss: 'cross_entropy', ...options }, true, (operation, wait) =>
      this.#queue.run(operation, wait),
    );
  }

  /** Adds the gradient of a loss that is computed here. Forward and backward keep one place in the order. */
  customLoss(
    datums: readonly Datum[],
    loss: CustomLoss,
    options: WaitOptions & { sequencesInStep?: number | undefined } = {},
  ): OperationHandle<CustomLossOutcome<PassResult>> {
    const reason = this.#stopReason;
    if (reason !== undefined) return refuseStopped('custom_loss', reason);
    const { sequencesInStep, ...wait } = options;
    return this.#queue.runTogether('custom_loss', wait, (run) =>
      runCustomLoss({
        datums,
        loss,
        profile: this.#link.profile,
        ...(sequencesInStep === undefined ? {} : { sequencesInStep }),
        source: {
          forward: async (inputs) => (await this.#pass(inputs, { ...wait, loss: 'cross_entropy' }, true, run)).logprobs,
        },
        sink: { forwardBackward: (inputs, surrogate) => this.#pass(inputs, { ...wait, ...surrogate }, false, run) },
      }),
    );
  }

  /** Applies the gradients and clears them. */
  optimStep(params: OptimizerParams, wait: WaitOptions = {}): OperationHandle<{ metrics: Record<string, number> }> {
    if (this.#stopReason !== undefined) return refuseStopped('optim_step', this.#stopReason);
    let adam: Record<string, number>;
    try {
      adam = optimizerToJson(params);
    } catch (error) {
      return refuseOperation(error as Error);
    }
    const passes = [...this.#openPasses];
    this.#openPasses.clear();
    return this.#queue.run(this.#optimOperation(adam, passes), wait);
  }

  /** Saves weights and optimiser state, to train on from. */
  saveState(name: string, options: SaveOptions = {}): Promise<{ path: string }> {
    return this.#savePath({ target: 'weights', name }, options);
  }

  /** Saves weights for use outside, as the managed service exports them. */
  saveExternal(name: string, options: SaveOptions = {}): Promise<{ path: string }> {
    return this.#savePath({ target: 'external_weights', name }, options);
  }

  /** Saves weights to sample from, and to download. */
  async saveForSampler(name: string, options: SaveOptions = {}): Promise<{ path: string }> {
    const saved = this.#savePath({ target: 'sampler_weights', name }, options);
    // There a checkpoint is sampled through a second model, and only training weights can be loaded into one.
    const isShadowed = this.#link.profile.samplingIsolation === 'overwrites-training';
    const state = isShadowed ? this.#save({ target: 'weights', name }, options) : undefined;
    const [path] = await Promise.all([saved, state]);
    return path;
  }

  /** Makes a sampling session of the weights of this moment, without a name. */
  async saveForSession(options: SaveOptions = {}): Promise<{ samplingSessionId: string }> {
    const target: SaveTarget = { target: 'session', nextSamplerSeqId: this.#options.nextSamplerSeqId };
    const { samplingSessionId } = await this.#save(target, options);
    if (samplingSessionId === undefined) {
      throw new TinkerProtocolError({ operation: 'save_weights_for_sampler', reason: 'it has no sampling_session_id' });
    }
    return { samplingSessionId };
  }

  /** Loads saved weights. Servers allow it as the first request of a model. */
  loadState(path: string, { optimizer, ...wait }: WaitOptions & { optimizer: boolean }): OperationHandle<void> {
    const part = this.#jsonPart('load_weights', { model_id: this.model.modelId, path, optimizer });
    return this.#run(
      {
        name: 'load_weights',
        binary: false,
        parts: [{ post: (options) => loadOnce(part, options) }],
        read: () => undefined,
        recover: () => undefined,
      },
      wait,
    );
  }

  /**
   * The number of the next request, one more than the server has taken. After `attachTraining` it tells on a strict server
   * whether the last request of the process before has arrived.
   */
  get nextSeqId(): number {
    return this.#queue.nextSeqId;
  }

  /** Asks a server that tells which number it waits for. */
  findSequence(deadline: Deadline): Promise<void> {
    return this.#queue.findSequence(deadline);
  }

  /** Resolves when everything that was called has ended. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** Waits for what was called, clears gradients that were not applied, and gives the model's place back. */
  close(wait: WaitOptions = {}): Promise<void> {
    this.#closing ??= this.#close(wait);
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(wait: WaitOptions): Promise<void> {
    this.#stopReason ??= 'the training client is closed.';
    const { modelId } = this.model;
    const deadline = this.#link.deadline(wait);
    await this.#queue.idle();
    try {
      if (this.#link.profile.hasUnload) {
        await this.#clearGradients(deadline.remainingMs());
        const reply = await this.#link.post(
          'unload_model',
          { model_id: modelId },
          { deadline, required: ['model_id'] },
        );
        const requestId = readText(reply, 'request_id', 'unload_model');
        await this.#link.future({ requestId, operation: 'unload_model', binary: false, deadline });
      }
      // If we die before this line the model is found in the journal and can be attached to or expires with its session.
      this.#link.journal?.write({ kind: 'model-closed', modelId });
    } finally {
      this.#options.onClosed?.();
    }
  }

  async #clearGradients(timeoutMs: number): Promise<void> {
    const { modelId } = this.model;
    const mayHold = this.#mayHoldGradients && this.#link.profile.gradientsSurviveUnload;
    if (this.#isPoisoned) {
      const reason = 'its numbers are not finite; restart the engine before its place is used again';
      this.#link.transport.onEvent({ type: 'clear-failed', modelId, reason });
    } else if (this.#sequencesPending > 0 || mayHold) {
      // The rate is 0, so nothing moves; the server forgets the gradients, which it else hands to the next model.
      await this.#queue.run(this.#optimOperation(optimizerToJson({ learningRate: 0 }), []), { timeoutMs });
    }
  }

  #run<T>(operation: Operation<T>, wait: WaitOptions): OperationHandle<T> {
    if (this.#stopReason !== undefined) return refuseStopped(operation.name, this.#stopReason);
    return this.#queue.run(operation, wait);
  }

  #save(target: SaveTarget, options: SaveOptions): OperationHandle<{ path?: string; samplingSessionId?: string }> {
    return this.#run(saveOperation({ link: this.#link, modelId: this.model.modelId, target, options }), options);
  }

  async #savePath(target: SaveTarget, options: SaveOptions): Promise<{ path: string }> {
    const { path } = await this.#save(target, options);
    if (path === undefined) throw new TinkerProtocolError({ operation: target.target, reason: 'it has no path' });
    return { path };
  }

  #pass(
    datums: readonly Datum[],
    options: PassOptions,
    forwardOnly: boolean,
    run: (operation: Operation<PassResult>, wait: WaitOptions) => OperationHandle<PassResult>,
  ): OperationHandle<PassResult> {
    const { loss, sequencesInStep, timeoutMs, signal } = options;
    const name = forwardOnly ? 'forward' : 'forward_backward';
    if (this.#stopReason !== undefined) return refuseStopped(name, this.#stopReason);
    const { profile, flags } = this.#link;
    try {
      const { vocabularySize, maxLength } = this.model;
      checkDatums(datums, { loss, vocabularySize, maxLength, ...profile });
      checkSequencesInStep(sequencesInStep, datums.length);
    } catch (error) {
      return refuseOperation(error as Error);
    }
    const config = completeConfig(loss, options.config);
    const plan = this.#planNormalisation(datums, options, forwardOnly);
    const chunks = splitDatums(datums, { maxDatums: flags.maxChunkDatums, maxBytes: flags.maxChunkBytes });
    let accepted = 0;
    const operation: Operation<PassResult> = {
      name,
      binary: true,
      isPass: true,
      parallel: flags.allowsParallelChunks && profile.sequence === 'ordered',
      parts: chunks.map((chunk) => {
        const { modelId } = this.model;
        const toRequest = (seqId: number) => ({
          ...{ modelId, seqId, datums: plan.prepare(chunk.datums), loss, config, forwardOnly },
        });
        let prepared: PreparedTraining | undefined;
        return {
          prepare: (seqId) => {
            prepared = prepareTraining(this.#link, toRequest(seqId));
          },
          post: ({ seqId, ...wait }) => {
            // The number may have become another one.
            const ready = prepared?.request.seqId === seqId ? prepared : undefined;
            // Its memory is given back once it was sent.
            prepared = undefined;
            const request = ready?.request ?? toRequest(seqId);
            return postTraining({ link: this.#link, request, prepared: ready, ...wait });
          },
        };
      }),
      onAccepted: () => {
        if (!forwardOnly) this.#sequencesPending += chunks[accepted]?.datums.length ?? 0;
        accepted += 1;
      },
      read: (replies) =>
        this.#readPass(replies, { datums, loss, config, operation: name, normalisation: plan.normalisation }),
    };
    return run(operation, { timeoutMs, signal });
  }

  /** Decides what happens to the advantages, and tells where the sum cannot be had. */
  #planNormalisation(
    datums: readonly Datum[],
    { loss, normalisation = this.#options.normalisation, sequencesInStep }: PassOptions,
    forwardOnly: boolean,
  ): { normalisation: NormalisationChoice; prepare: (datums: readonly Datum[]) => readonly Datum[] } {
    const asTheyAre = (chunk: readonly Datum[]): readonly Datum[] => chunk;
    if (forwardOnly || this.#link.profile.normalisation === 'sum') return { normalisation: 'sum', prepare: asTheyAre };
    if (normalisation === 'server') return { normalisation: 'server', prepare: asTheyAre };
    const report = (reason: string): void => {
      if (this.#reported.has(`${loss} ${reason}`)) return;
      this.#reported.add(`${loss} ${reason}`);
      this.#link.transport.onEvent({ type: 'normalisation-differs', loss, reason });
    };
    if (!isLinearInAdvantages(loss)) {
      report(
        'the server divides by weights and sequences, and scaled weights cancel; use customLoss for the exact sum',
      );
      return { normalisation: 'server', prepare: asTheyAre };
    }
    if (sequencesInStep === undefined && this.#sequencesPending > 0) {
      report('the server divides by all sequences of the step; give sequencesInStep when a step has several calls');
    }
    const sequences = sequencesInStep ?? datums.length;
    return { normalisation: 'sum', prepare: (chunk) => compensateAdvantages(chunk, sequences) };
  }

  #readPass(
    replies: readonly Reply[],
    facts: {
      datums: readonly Datum[];
      loss: string;
      config: LossConfig | undefined;
      operation: string;
      normalisation: NormalisationChoice;
    },
  ): PassResult {
    const { datums, loss, config, operation, normalisation } = facts;
    const { outputs, metrics } = combineOutputs(replies.map(readOutput));
    if (outputs.length !== datums.length) {
      throw new TinkerProtocolError({
        operation,
        reason: `${outputs.length} outputs came for ${datums.length} datums`,
      });
    }
    const logprobs = outputs.map((output, index) => readLogprobs(output, datums[index]!, index, operation));
    this.#stopOnNaN(operation, logprobs, metrics);
    const computed = 'loss:sum' in metrics ? undefined : computeLossSum({ loss, config, datums, logprobs });
    return {
      logprobs,
      outputs,
      metrics: computed === undefined ? metrics : { ...metrics, 'loss:sum': computed },
      computedMetrics: computed === undefined ? [] : ['loss:sum'],
      normalisation,
    };
  }

  /** A model with NaN in it stays so: everything after would be wasted, and on some servers spreads to other models. */
  #stopOnNaN(operation: string, logprobs: readonly Float32Array[], metrics: Readonly<Record<string, number>>): void {
    let place: string | undefined;
    for (let index = 0; index < logprobs.length && place === undefined; index += 1) {
      const at = logprobs[index]!.findIndex(Number.isNaN);
      if (at >= 0) place = `the log probability of token ${at} of datum ${index}`;
    }
    place ??= Object.keys(metrics).find((name) => Number.isNaN(metrics[name]));
    if (place === undefined) return;
    const reason = `${place} is NaN after ${operation}.`;
    this.#isPoisoned = true;
    this.#stopReason ??= reason;
    this.#link.transport.onEvent({ type: 'training-stopped', modelId: this.model.modelId, reason });
    throw new TinkerStoppedError({ operation, reason });
  }

  #optimOperation(
    adam: Record<string, number>,
    passes: readonly { error: Error | undefined }[],
  ): Operation<{ metrics: Record<string, number> }> {
    const body = { model_id: this.model.modelId, adam_params: adam };
    return {
      name: 'optim_step',
      binary: false,
      parts: [this.#jsonPart('optim_step', body)],
      before: () => {
        const failed = passes.find(({ error }) => error !== undefined);
        if (failed === undefined) return;
        const reason = 'a forward_backward that was called before it did not reach the server.';
        throw new TinkerStoppedError({ operation: 'optim_step', reason, cause: failed.error });
      },
      onAccepted: () => {
        this.#sequencesPending = 0;
        this.#mayHoldGradients = false;
      },
      read: ([reply]) => {
        const metrics = readMetrics(toObject(reply!, 'optim_step')['metrics']);
        this.#stopOnNaN('optim_step', [], metrics);
        return { metrics };
      },
      recover: () => ({ metrics: {} }),
    };
  }

  #jsonPart(path: string, body: Readonly<Record<string, unknown>>): Operation<unknown>['parts'][number] {
    return {
      post: async ({ seqId, deadline, onAmbiguous }) => {
        const required = ['model_id', 'seq_id', 'adam_params', 'path'];
        const reply = await this.#link.post(path, { ...body, seq_id: seqId }, { deadline, required, onAmbiguous });
        return { requestId: readText(reply, 'request_id', path) };
      },
    };
  }
}

const readOutput = (reply: Reply): ForwardBackwardOutput =>
  reply.isProtobuf ? decodeForwardBackwardOutput(reply.bytes) : forwardBackwardOutputFromJson(reply.json());

function readLogprobs(output: LossOutput, datum: Datum, index: number, operation: string): Float32Array {
  const logprobs = output['logprobs']?.data;
  if (!(logprobs instanceof Float32Array)) {
    throw new TinkerProtocolError({ operation, reason: `datum ${index} came back without log probabilities` });
  }
  // Targets with several columns have a log probability for each.
  const { shape } = toTensor(datum.inputs['target_tokens'] ?? datum.tokens);
  const wanted = shape.reduce((product, size) => product * size, 1);
  if (datum.chunks === undefined && logprobs.length !== wanted && logprobs.length !== datum.tokens.length) {
    const reason = `datum ${index} has ${datum.tokens.length} tokens and came back with ${logprobs.length} log probabilities`;
    throw new TinkerProtocolError({ operation, reason });
  }
  return logprobs;
}

function checkSequencesInStep(sequences: number | undefined, datums: number): void {
  if (sequences === undefined || (Number.isInteger(sequences) && sequences >= datums)) return;
  const fields = [{ field: 'sequencesInStep', reason: `is ${sequences} for ${datums} datums` }];
  throw new TinkerValidationError({ operation: 'forward_backward', fields });
}
