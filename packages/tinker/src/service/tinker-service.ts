import type { IdSource } from '@lachesis/protocol';
import { TinkerValidationError } from '../errors/server-errors.ts';
import { readModelFolder } from '../link/read-model-folder.ts';
import type { ReadText } from '../link/read-model-folder.ts';
import { readText, toObject } from '../link/server-link.ts';
import type { ServerLink } from '../link/server-link.ts';
import type { ServerProfile } from '../profile/server-profile.ts';
import { IsolatedModels } from '../sampling/isolated-models.ts';
import { SampleLimiter } from '../sampling/sample-limiter.ts';
import { fixedSource } from '../sampling/sampler-source.ts';
import type { SamplerSource } from '../sampling/sampler-source.ts';
import { SamplingClient } from '../sampling/sampling-client.ts';
import type { Heartbeat } from '../session/heartbeat.ts';
import type { SupportedModel } from '../session/open-session.ts';
import { TrainingClient } from '../training/training-client.ts';
import type { NormalisationChoice } from '../training/training-client.ts';
import type { Deadline, WaitOptions } from '../transport/deadline.ts';
import { parseTinkerPath } from '../weights/tinker-path.ts';
import type { RequestPlan } from '../weights/request-plans.ts';
import { rankOf, toCreateModelBody } from './model-options.ts';
import type { CreateTrainingOptions, FromStateOptions, ModelFacts } from './model-options.ts';
import { giveBack } from './give-back.ts';
import { loadIsolated } from './load-isolated.ts';
import { readReattachment } from './reattach.ts';
import type { Reattachment } from './reattach.ts';

export interface CreateSamplerOptions extends ModelFacts, WaitOptions {
  /** One of the three: a saved checkpoint, a base model, or the weights a training client has at this moment. */
  modelPath?: string | undefined;
  baseModel?: string | undefined;
  training?: TrainingClient | undefined;
  /** Ids that end a sequence, for servers that do not stop by themselves. */
  eosTokens?: readonly number[] | undefined;
  /**
   * `auto`: weights are kept apart from training where the server would mix them. `shared`: sample directly; the caller
   * sees to the order save, sample, train.
   */
  isolation?: 'auto' | 'shared' | undefined;
}

export interface TinkerServiceOptions {
  link: ServerLink;
  baseUrl: string;
  sessionId: string;
  models: readonly SupportedModel[];
  heartbeat: Heartbeat | undefined;
  normalisation: NormalisationChoice;
  ids: IdSource;
  readText?: ReadText | undefined;
  onClosed: () => Promise<void>;
}

/** A session with a server: makes training and sampling clients and ends them. */
export class TinkerService {
  readonly sessionId: string;
  /** What the server offers. */
  readonly models: readonly SupportedModel[];
  readonly #options: TinkerServiceOptions;
  readonly #link: ServerLink;
  readonly #limiter: SampleLimiter;
  readonly #isolated: IsolatedModels;
  readonly #trainings = new Set<TrainingClient>();
  readonly #samplers = new Set<SamplingClient>();
  #modelSeqId = 0;
  #samplerSeqId = 0;
  #closing: Promise<void> | undefined;

  constructor(options: TinkerServiceOptions) {
    this.#options = options;
    this.#link = options.link;
    this.sessionId = options.sessionId;
    this.models = options.models;
    const { profile, flags, transport } = options.link;
    this.#limiter = new SampleLimiter({
      maxInFlight: flags.maxSamplesInFlight ?? profile.maxSamplesInFlight,
      maxDispatchBytes: flags.sampleDispatchBytes,
      clock: transport.clock,
      onEvent: transport.onEvent,
    });
    this.#isolated = new IsolatedModels({
      load: (path, deadline) =>
        loadIsolated({ link: this.#link, path, deadline, create: (model, wait) => this.createTraining(model, wait) }),
      onUnloadFailed: (error) => transport.onEvent({ type: 'clear-failed', modelId: '', reason: error.message }),
    });
  }

  /** What kind of server this is. */
  get profile(): ServerProfile {
    return this.#link.profile;
  }

  /** Makes a model to train. */
  async createTraining(
    options: CreateTrainingOptions,
    deadline = this.#link.deadline(options),
  ): Promise<TrainingClient> {
    const { baseModel } = options;
    this.#checkBaseModel(baseModel);
    const body = toCreateModelBody(options, { sessionId: this.sessionId, modelSeqId: this.#takeModelSeqId() });
    const operation = 'create_model';
    const submitted = await this.#link.post(operation, body, {
      deadline,
      required: ['session_id', 'model_seq_id', 'base_model', 'lora_config', 'lora_config.rank'],
      // Sent twice it would be two models, and the places of an engine are few.
      repeatsSafely: this.#link.profile.createsModelOnce,
    });
    const requestId = readText(submitted, 'request_id', operation);
    const result = toObject(await this.#link.future({ requestId, operation, binary: false, deadline }), operation);
    const modelId = readText({ ...submitted, ...result }, 'model_id', operation);
    return this.#openTraining({ modelId, baseModel, rank: rankOf(options), facts: options });
  }

  /** Makes a model and loads a saved state into it. */
  async createTrainingFromState(path: string, options: FromStateOptions = {}): Promise<TrainingClient> {
    const { optimizer = true, weightsAccessToken, ...facts } = options;
    const deadline = this.#link.deadline(options);
    const info = await this.#link.post('weights_info', { tinker_path: path }, { deadline, required: ['tinker_path'] });
    const baseModel = readText(info, 'base_model', 'weights_info');
    const rank = typeof info['lora_rank'] === 'number' ? info['lora_rank'] : undefined;
    if (this.#link.flags.createsModelByLoading) {
      const body = {
        session_id: this.sessionId,
        model_seq_id: this.#takeModelSeqId(),
        path,
        optimizer,
        weights_access_token: weightsAccessToken,
      };
      const submitted = await this.#link.post('load_weights', body, { deadline });
      const requestId = readText(submitted, 'request_id', 'load_weights');
      const result = toObject(
        await this.#link.future({ requestId, operation: 'load_weights', binary: false, deadline }),
        'load_weights',
      );
      const modelId = readText({ ...submitted, ...result }, 'model_id', 'load_weights');
      return this.#openTraining({ modelId, baseModel, rank, facts });
    }
    const flag = (name: string): boolean | undefined => (info[name] === false ? false : undefined);
    const training = await this.createTraining(
      {
        ...facts,
        baseModel,
        rank,
        trainUnembed: flag('train_unembed'),
        trainMlp: flag('train_mlp'),
        trainAttention: flag('train_attn'),
      },
      deadline,
    );
    try {
      await training.loadState(path, { optimizer, timeoutMs: deadline.remainingMs(), signal: options.signal });
    } catch (error) {
      giveBack(training, this.#link);
      throw error;
    }
    return training;
  }

  /** What a process that died left behind: jobs whose results nobody read, and models that can be trained on. */
  async reattach(): Promise<Reattachment> {
    const { heartbeat, baseUrl } = this.#options;
    const found = readReattachment(this.#link, baseUrl);
    for (const sessionId of new Set(found.models.map((model) => model.sessionId))) {
      if (sessionId !== this.sessionId) heartbeat?.add(sessionId);
    }
    return found;
  }

  /**
   * Trains on with a model of the journal. A strict server is asked which number it waits for, so that `nextSeqId` of the
   * client tells what the process before has got through, also what it could not write down any more.
   */
  async attachTraining({
    modelId,
    ...options
  }: ModelFacts & WaitOptions & { modelId: string }): Promise<TrainingClient> {
    const { models } = readReattachment(this.#link, this.#options.baseUrl);
    const model = models.find((each) => each.modelId === modelId);
    if (model === undefined) {
      const fields = [{ field: 'modelId', reason: 'is no open model of the journal' }];
      throw new TinkerValidationError({ operation: 'attach', fields });
    }
    const { baseModel, rank, sessionId, nextSeqId } = model;
    this.#options.heartbeat?.add(sessionId);
    const attached = { modelId, baseModel, rank, facts: options, sessionId, nextSeqId, isAttached: true };
    const training = await this.#openTraining(attached);
    await training.findSequence(this.#link.deadline(options));
    return training;
  }

  /** Makes a sampler. */
  async createSampler(options: CreateSamplerOptions): Promise<SamplingClient> {
    const { modelPath, baseModel, training, isolation = 'auto' } = options;
    if ([modelPath, baseModel, training].filter((each) => each !== undefined).length !== 1) {
      const fields = [{ field: 'modelPath', reason: 'or baseModel or training is wanted, and one of them alone' }];
      throw new TinkerValidationError({ operation: 'create_sampling_session', fields });
    }
    const deadline = this.#link.deadline(options);
    const isApart = isolation === 'auto' && this.#link.profile.samplingIsolation === 'overwrites-training';
    const source = await this.#findSource(options, isApart, deadline);
    const facts = await this.#completeFacts(baseModel ?? training?.model.baseModel, options);
    const { vocabularySize = training?.model.vocabularySize, maxLength = training?.model.maxLength, eosTokens } = facts;
    const sampler: SamplingClient = new SamplingClient({
      link: this.#link,
      source,
      limiter: this.#limiter,
      rules: { profile: this.#link.profile, vocabularySize, maxLength, eosTokens: options.eosTokens ?? eosTokens },
      onClosed: () => this.#samplers.delete(sampler),
    });
    this.#samplers.add(sampler);
    return sampler;
  }

  /** Sends a request that was planned elsewhere, such as one about checkpoints. Returns the JSON it is answered with. */
  async request(
    { method, path, query = {}, body }: RequestPlan,
    wait: WaitOptions = {},
  ): Promise<Record<string, unknown>> {
    const search = new URLSearchParams(query).toString();
    const relative = `${path.replace(/^api\/v1\//, '')}${search === '' ? '' : `?${search}`}`;
    const call = { method, path: relative, ...(body === undefined ? {} : { json: body }) };
    const operation = relative.split('?')[0]!;
    return toObject(
      await this.#link.transport.request(call, { deadline: this.#link.deadline(wait), operation }),
      operation,
    );
  }

  /**
   * Ends samplers, models and the session. `leavesModels` leaves models and session to a later process, which finds them in
   * the journal.
   */
  close({ leavesModels = false, ...wait }: WaitOptions & { leavesModels?: boolean } = {}): Promise<void> {
    this.#closing ??= this.#close(leavesModels, wait);
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(leavesModels: boolean, wait: WaitOptions): Promise<void> {
    const { journal, profile, transport } = this.#link;
    const report = (operation: string) => (error: Error) =>
      transport.onEvent({ type: 'operation-failed', modelId: '', operation, error });
    try {
      await Promise.all([...this.#samplers].map((sampler) => sampler.close().catch(report('close'))));
      await this.#isolated.close();
      if (leavesModels) return;
      await Promise.all([...this.#trainings].map((training) => training.close(wait).catch(report('unload_model'))));
      if (profile.hasFinishSession) {
        const body = { reason: { type: 'success' }, detail: '' };
        const deadline = this.#link.deadline({ timeoutMs: 10_000 });
        await this.#link
          .post(`sessions/${this.sessionId}/finish`, body, { deadline, maxAttempts: 2 })
          .catch(report('finish'));
      }
      journal?.write({ kind: 'session-closed', sessionId: this.sessionId });
    } finally {
      await this.#options.onClosed();
    }
  }

  async #findSource(options: CreateSamplerOptions, isApart: boolean, deadline: Deadline): Promise<SamplerSource> {
    const { modelPath, training } = options;
    if (training !== undefined) {
      if (isApart) return this.#sourceOfState(training, deadline);
      const wait = { timeoutMs: deadline.remainingMs(), signal: options.signal };
      return fixedSource((await training.saveForSession(wait)).samplingSessionId);
    }
    if (modelPath !== undefined && isApart) {
      const { run, name } = parseTinkerPath(modelPath);
      return this.#warm(this.#isolated.source(`tinker://${run}/weights/${name}`), deadline);
    }
    const session = await this.#link.post(
      'create_sampling_session',
      {
        session_id: this.sessionId,
        sampling_session_seq_id: this.#takeSamplerSeqId(),
        ...(modelPath === undefined ? { base_model: options.baseModel } : { model_path: modelPath }),
      },
      { deadline, required: ['session_id', 'sampling_session_seq_id', 'base_model', 'model_path'] },
    );
    return fixedSource(readText(session, 'sampling_session_id', 'create_sampling_session'));
  }

  /** Saves the state under a name of its own, samples it through a second model, and deletes it with the sampler. */
  async #sourceOfState(training: TrainingClient, deadline: Deadline): Promise<SamplerSource> {
    const name = `sampler-${this.#options.ids.next()}`;
    const { path } = await training.saveState(name, { timeoutMs: deadline.remainingMs(), signal: deadline.signal });
    const source = this.#isolated.source(path);
    return this.#warm(
      {
        acquire: source.acquire,
        close: async () => {
          await source.close();
          const { run } = parseTinkerPath(path);
          await this.request(
            { method: 'DELETE', path: `training_runs/${run}/checkpoints/weights/${name}` },
            { timeoutMs: 10_000 },
          );
        },
      },
      deadline,
    );
  }

  /** Loads the weights now, so that a wrong path is told where it was given. */
  async #warm(source: SamplerSource, deadline: Deadline): Promise<SamplerSource> {
    const session = await source.acquire(deadline);
    session.release();
    return source;
  }

  async #openTraining(options: {
    modelId: string;
    baseModel: string;
    rank: number | undefined;
    facts: ModelFacts;
    sessionId?: string;
    nextSeqId?: number;
    isAttached?: boolean;
  }): Promise<TrainingClient> {
    const { modelId, baseModel, rank, facts, sessionId = this.sessionId, nextSeqId = 1, isAttached = false } = options;
    const { journal, profile, transport } = this.#link;
    // If we die before this line, nobody knows of the model; it goes with its session.
    if (!isAttached) journal?.write({ kind: 'model', sessionId, modelId, baseModel, rank });
    const { vocabularySize, maxLength } = await this.#completeFacts(baseModel, facts);
    if (vocabularySize === undefined && !profile.checksTokenIds)
      transport.onEvent({ type: 'vocabulary-unknown', model: baseModel });
    const training: TrainingClient = new TrainingClient({
      link: this.#link,
      model: { modelId, sessionId, baseModel, rank, vocabularySize, maxLength },
      normalisation: this.#options.normalisation,
      nextSeqId,
      isUncertain: isAttached,
      nextSamplerSeqId: () => this.#takeSamplerSeqId(),
      onClosed: () => this.#trainings.delete(training),
    });
    this.#trainings.add(training);
    return training;
  }

  async #completeFacts(
    baseModel: string | undefined,
    given: ModelFacts,
  ): Promise<ModelFacts & { eosTokens?: number[] }> {
    const folder = baseModel === undefined ? {} : await readModelFolder(baseModel, this.#options.readText);
    const listed = this.models.find(({ name }) => name === baseModel);
    return {
      ...folder,
      vocabularySize: given.vocabularySize ?? folder.vocabularySize,
      maxLength: given.maxLength ?? listed?.maxLength ?? folder.maxLength,
    };
  }

  /** SkyRL takes any name and trains the one model it has. */
  #checkBaseModel(baseModel: string): void {
    if (this.#link.profile.checksBaseModel || this.models.length === 0) return;
    if (this.models.some(({ name }) => name === baseModel)) return;
    const names = this.models.map(({ name }) => name).join(', ');
    const fields = [{ field: 'baseModel', reason: `is not among what this server has: ${names}` }];
    throw new TinkerValidationError({ operation: 'create_model', fields });
  }

  #takeModelSeqId(): number {
    this.#modelSeqId += 1;
    return this.#modelSeqId - 1;
  }

  #takeSamplerSeqId(): number {
    this.#samplerSeqId += 1;
    return this.#samplerSeqId - 1;
  }
}
