import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { zstdDecompressSync } from 'node:zlib';
import type { ForwardBackwardRequest } from '../codec/datum.ts';
import { DTYPES } from '../codec/tensor.ts';
import { tensorFromJson } from '../codec/json-tensor.ts';
import { runLoss, tokenLogprob } from './fake-model.fixture.ts';
import type { FakeModel } from './fake-model.fixture.ts';
import {
  decodeForwardBackwardRequest,
  encodeForwardBackwardOutput,
  encodeSampleResult,
} from './server-codec.fixture.ts';

/** A request as a fault or a test sees it. */
export interface FakeRequest {
  method: string;
  /** Without `/api/v1/`. */
  path: string;
  headers: IncomingMessage['headers'];
  /** Parsed JSON, or the bytes. */
  body: unknown;
  /** How many requests of this path came before. */
  count: number;
}

export type Fault =
  /** Answers without doing anything. */
  | { kind: 'status'; status: number; body?: unknown; headers?: Record<string, string> }
  /** Closes the connection; the request had no effect. */
  | { kind: 'drop-request' }
  /** Does the work and closes the connection. */
  | { kind: 'drop-reply' }
  /** Never answers; `isDone` tells whether the work is done. */
  | { kind: 'hang'; isDone: boolean }
  | { kind: 'delay'; ms: number };

export interface FakeServerOptions {
  /** Which server it behaves like. */
  kind?: 'managed' | 'skyrl' | 'tuft';
  /** Wanted from every call when given. */
  apiKey?: string;
  /** How long a job takes. */
  jobMs?: number | ((operation: string) => number);
  /** How long a poll is held. */
  longPollMs?: number;
  fault?: (request: FakeRequest) => Fault | undefined;
  /** Send results as JSON although protobuf is accepted. */
  jsonResults?: boolean;
  /** Refuse protobuf in requests. */
  jsonRequests?: boolean;
  /** Flags added to `client/config`. */
  config?: Record<string, unknown>;
  /** Results larger than this are announced first, as the managed service does. */
  inlineLimitBytes?: number;
  models?: Record<string, unknown>[];
  /** What it samples; by default it counts on from the last token of the prompt. */
  answer?: (prompt: readonly number[]) => readonly number[];
}

interface Job {
  id: string;
  operation: string;
  done: Promise<void>;
  isDone: boolean;
  result?: () => { json: unknown } | { bytes: Uint8Array };
  failure?: { status: number; body: unknown };
}

class Refusal extends Error {
  readonly status: number;
  readonly detail: unknown;

  constructor(status: number, detail: unknown) {
    super(`refused with ${status}`);
    this.status = status;
    this.detail = detail;
  }
}

/** The fields each call may have on a server that is strict. */
const STRICT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  'client/config': ['sdk_version'],
  create_session: ['tags', 'user_metadata', 'sdk_version', 'project_id', 'type'],
  session_heartbeat: ['session_id', 'type'],
  create_model: ['session_id', 'model_seq_id', 'base_model', 'user_metadata', 'lora_config', 'type'],
  get_info: ['model_id', 'type'],
  unload_model: ['model_id', 'type'],
  optim_step: ['adam_params', 'model_id', 'seq_id', 'type'],
  save_weights: ['model_id', 'path', 'seq_id', 'ttl_seconds', 'overwrite', 'type'],
  save_weights_for_sampler: ['model_id', 'path', 'sampling_session_seq_id', 'seq_id', 'ttl_seconds', 'type'],
  load_weights: ['model_id', 'seq_id', 'path', 'optimizer', 'type'],
  create_sampling_session: ['session_id', 'sampling_session_seq_id', 'base_model', 'model_path', 'type'],
  asample: [
    'num_samples',
    'prompt',
    'sampling_params',
    'base_model',
    'model_path',
    'sampling_session_id',
    'seq_id',
    'prompt_logprobs',
    'topk_prompt_logprobs',
    'type',
  ],
  retrieve_future: ['request_id', 'allow_metadata_only'],
  weights_info: ['tinker_path'],
};

type Body = Record<string, unknown>;

/** A server of the whole protocol in this process. It computes little and remembers everything. */
export class FakeServer {
  readonly requests: FakeRequest[] = [];
  readonly models = new Map<string, FakeModel>();
  readonly heartbeats: { sessionId: string; at: number }[] = [];
  readonly cancelled: string[] = [];
  /** Calls whose caller left before the answer. */
  hangUps = 0;
  readonly #options: FakeServerOptions;
  readonly #server: Server;
  readonly #counts = new Map<string, number>();
  readonly #jobs = new Map<string, Job>();
  readonly #samplers = new Map<string, { modelId: string | undefined; checkpoint: string | undefined }>();
  readonly #sessions = new Set<string>();
  /** Samples that have ended, by sampling session, and who waits to hear of the next one. */
  readonly #ended = new Map<string, { announced: Body[]; wake: Set<() => void> }>();
  /** Numbers a model has seen, with what came under them. */
  readonly #seen = new Map<string, { text: string; job: Job }>();
  /** Jobs of a model run one after another. */
  readonly #lines = new Map<string, Promise<void>>();
  /** Starts the job of a number on the server that runs by number. */
  readonly #turns = new Map<string, () => void>();
  #leakedGradient = { gradient: 0, sequences: 0 };
  #lastId = 0;
  url = '';

  private constructor(options: FakeServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.keepAliveTimeout = 5_000;
  }

  static async start(options: FakeServerOptions = {}): Promise<FakeServer> {
    const fake = new FakeServer(options);
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    fake.url = `http://127.0.0.1:${(fake.#server.address() as AddressInfo).port}`;
    return fake;
  }

  get kind(): NonNullable<FakeServerOptions['kind']> {
    return this.#options.kind ?? 'managed';
  }

  /** The faults from now on. */
  set fault(fault: FakeServerOptions['fault']) {
    if (fault === undefined) delete this.#options.fault;
    else this.#options.fault = fault;
  }

  count(path: string): number {
    return this.#counts.get(path) ?? 0;
  }

  /** The JSON bodies of the calls to an address. */
  bodies(path: string): Body[] {
    return this.requests.filter((request) => request.path === path).map(({ body }) => body as Body);
  }

  /** The only model, for tests that have one. */
  get model(): FakeModel {
    return [...this.models.values()][0]!;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // The client hung up inside its request; there is nobody to answer.
      return;
    }
    let bytes: Buffer = Buffer.concat(chunks);
    if (request.headers['content-encoding'] === 'zstd') bytes = zstdDecompressSync(bytes);
    const path = (request.url ?? '').replace(/^\/api\/v1\//, '').split('?')[0]!;
    const count = this.#counts.get(path) ?? 0;
    this.#counts.set(path, count + 1);
    const isBinary = (request.headers['content-type'] ?? '').includes('protobuf');
    const body: unknown =
      bytes.byteLength === 0 || isBinary ? new Uint8Array(bytes) : JSON.parse(bytes.toString('utf8'));
    const seen: FakeRequest = { method: request.method ?? '', path, headers: request.headers, body, count };
    this.requests.push(seen);
    response.once('close', () => {
      if (!response.writableEnded) this.hangUps += 1;
    });
    if (path === 'session_heartbeat') {
      this.heartbeats.push({ sessionId: String((body as Body)['session_id']), at: performance.now() });
    }
    const fault = this.#options.fault?.(seen);
    if (fault?.kind === 'drop-request') {
      request.socket.destroy();
      return;
    }
    if (fault?.kind === 'hang' && !fault.isDone) return;
    if (fault?.kind === 'status') {
      send(response, fault.status, fault.body ?? { detail: `fault ${fault.status}` }, fault.headers);
      return;
    }
    if (fault?.kind === 'delay') await new Promise((resolve) => setTimeout(resolve, fault.ms));
    const answer = await this.#answer(seen).catch((error: unknown) => {
      if (error instanceof Refusal) return { status: error.status, json: { detail: error.detail } };
      return { status: 500, json: { detail: String(error) } };
    });
    if (fault?.kind === 'drop-reply') request.socket.destroy();
    else if (fault?.kind !== 'hang') {
      if ('bytes' in answer) sendBytes(response, answer.bytes);
      else send(response, answer.status, answer.json);
    }
  }

  async #answer(request: FakeRequest): Promise<{ status: number; json: unknown } | { bytes: Uint8Array }> {
    const { path, headers, body } = request;
    const { apiKey } = this.#options;
    if (apiKey !== undefined && headers['x-api-key'] !== apiKey) {
      throw new Refusal(
        headers['x-api-key'] === undefined ? 401 : 403,
        `key ${String(headers['x-api-key'])} is not accepted`,
      );
    }
    const fields = body instanceof Uint8Array ? {} : (body as Body);
    if (this.kind === 'tuft') this.#checkStrict(path, fields);
    if (path === 'retrieve_future') return this.#retrieve(request, fields);
    if (path === 'retrieve_futures' && this.kind === 'managed') return this.#retrieveEnded(fields);
    const json = this.#route(request, fields);
    return { status: this.kind === 'tuft' && path === 'create_session' ? 201 : 200, json };
  }

  #checkStrict(path: string, fields: Body): void {
    const allowed = STRICT_FIELDS[path];
    if (allowed === undefined) return;
    const unknown = Object.keys(fields).filter((name) => !allowed.includes(name));
    if (unknown.length === 0) return;
    throw new Refusal(
      422,
      unknown.map((name) => ({
        type: 'extra_forbidden',
        loc: ['body', name],
        msg: 'Extra inputs are not permitted',
        input: 0,
      })),
    );
  }

  #route(request: FakeRequest, fields: Body): unknown {
    const { kind } = this;
    const { path, method } = request;
    const missing = new Refusal(404, 'Not Found');
    switch (path) {
      case 'healthz':
        return { status: 'ok' };
      case 'client/config':
        if (kind === 'skyrl') return { pjwt_auth_enabled: false, ...this.#options.config };
        return {
          pjwt_auth_enabled: false,
          credential_default_source: 'api_key',
          parallel_fwdbwd_chunks: false,
          ...this.#options.config,
        };
      case 'client/dynamic_config':
        if (kind !== 'managed') throw missing;
        return { refresh_interval_sec: 300, sample_cancel_enabled: true };
      case 'auth/token': {
        const claims = Buffer.from(JSON.stringify({ exp: Math.floor(Date.now() / 1000) + 3600 })).toString('base64url');
        return { jwt: `eyJhbGciOiJub25lIn0.${claims}.x` };
      }
      case 'get_server_capabilities':
        return { supported_models: this.#options.models ?? this.#defaultModels() };
      case 'create_session': {
        const id = this.#newId('session');
        this.#sessions.add(id);
        return { session_id: id, info_message: kind === 'managed' ? 'welcome' : undefined };
      }
      case 'session_heartbeat':
        if (!this.#sessions.has(String(fields['session_id'])))
          throw new Refusal(kind === 'tuft' ? 500 : kind === 'skyrl' ? 404 : 410, 'no session');
        return { type: 'session_heartbeat' };
      case 'create_model':
        return this.#createModel(fields);
      case 'unload_model':
        if (kind === 'managed') throw missing;
        return this.#unload(fields);
      case 'forward_backward':
      case 'forward':
        return this.#forwardBackward(request);
      case 'optim_step':
        return this.#optimStep(fields);
      case 'save_weights':
      case 'save_weights_for_sampler':
        return this.#save(path, fields);
      case 'load_weights':
        return this.#load(fields);
      case 'weights_info': {
        const { checkpoint } = this.#find(String(fields['tinker_path']));
        if (checkpoint === undefined) throw new Refusal(404, 'no such checkpoint');
        return { base_model: 'fake/model', is_lora: true, lora_rank: 8 };
      }
      case 'create_sampling_session': {
        const id = this.#newId('sampling');
        const modelPath = fields['model_path'];
        if (typeof modelPath === 'string')
          this.#samplers.set(id, { modelId: this.#find(modelPath).model.id, checkpoint: modelPath });
        else this.#samplers.set(id, { modelId: undefined, checkpoint: undefined });
        return { sampling_session_id: id };
      }
      case 'asample':
        return this.#sample(fields);
      case 'cancel_future':
        if (kind !== 'managed') throw missing;
        this.cancelled.push(String(fields['request_id']));
        return null;
      default:
        if (kind === 'managed' && path.endsWith('/finish')) return null;
        if (method === 'DELETE') {
          const match = /^training_runs\/(?<run>[^/]+)\/checkpoints\/(?<id>.+)$/.exec(path)?.groups;
          const removed = this.models.get(match?.['run'] ?? '')?.checkpoints.delete(match?.['id'] ?? '');
          if (removed !== true) throw new Refusal(404, 'no such checkpoint');
          return null;
        }
        throw missing;
    }
  }

  #defaultModels(): Body[] {
    if (this.kind === 'skyrl') return [{ model_name: 'fake/model' }];
    const model = { model_name: 'fake/model', max_context_length: 4096 };
    return [this.kind === 'tuft' ? { ...model, capabilities: ['training', 'sampling'] } : model];
  }

  #newId(prefix: string): string {
    this.#lastId += 1;
    // SkyRL's request ids are whole numbers in text.
    return prefix === 'request' && this.kind === 'skyrl' ? String(this.#lastId) : `${prefix}-${this.#lastId}`;
  }

  /** Queues work behind what the model is doing. */
  #start(operation: string, modelId: string | undefined, work: () => NonNullable<Job['result']>): Job {
    const line = (modelId === undefined ? undefined : this.#lines.get(modelId)) ?? Promise.resolve();
    const job = this.#startAfter(line, operation, work);
    if (modelId !== undefined) this.#lines.set(modelId, job.done);
    return job;
  }

  #startAfter(line: Promise<void>, operation: string, work: () => NonNullable<Job['result']>): Job {
    const { jobMs = 0 } = this.#options;
    const ms = typeof jobMs === 'number' ? jobMs : jobMs(operation);
    const job: Job = { id: this.#newId('request'), operation, isDone: false, done: Promise.resolve() };
    job.done = line.then(async () => {
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      try {
        job.result = work();
      } catch (error) {
        job.failure = this.#describeFailure(error);
      }
      job.isDone = true;
    });
    this.#jobs.set(job.id, job);
    return job;
  }

  #describeFailure(error: unknown): NonNullable<Job['failure']> {
    const { status, detail } = error instanceof Refusal ? error : new Refusal(500, String(error));
    if (this.kind === 'managed')
      return { status: 200, body: { error: String(detail), category: status < 500 ? 'user' : 'server' } };
    if (this.kind === 'skyrl') return { status: 400, body: { detail } };
    return { status: status === 500 ? 422 : status, body: { detail: `Failed to retrieve future: ${String(detail)}` } };
  }

  /** Work with a number: refused, repeated or put in order as each server does it. */
  #sequenced(options: {
    operation: string;
    modelId: string;
    seqId: number;
    text: string;
    work: (model: FakeModel) => NonNullable<Job['result']>;
  }): Job {
    const { operation, modelId, seqId, text, work } = options;
    const model = this.models.get(modelId);
    if (model === undefined) throw new Refusal(404, 'Model not found');
    const key = `${modelId}/${seqId}`;
    const known = this.#seen.get(key);
    if (known !== undefined && this.kind !== 'tuft') {
      if (this.kind === 'skyrl' && known.text !== text)
        throw new Refusal(409, 'Training request sequence number was reused');
      return known.job;
    }
    const run = (): NonNullable<Job['result']> => {
      if (this.kind === 'tuft') this.#guardSequence(model, seqId);
      try {
        const result = work(model);
        model.applied.push(operation);
        if (this.kind === 'tuft') model.nextSeqId += 1;
        return result;
      } catch (error) {
        if (this.kind === 'tuft') model.failedSeqId = seqId;
        throw error;
      }
    };
    const job =
      this.kind === 'managed' ? this.#startInOrder(operation, model, seqId, run) : this.#start(operation, modelId, run);
    this.#seen.set(key, { text, job });
    return job;
  }

  #guardSequence(model: FakeModel, seqId: number): void {
    const expected = model.nextSeqId;
    if (seqId !== expected) {
      if (seqId !== expected + 1 || model.failedSeqId !== expected) {
        throw new Refusal(409, `Sequence conflict: expected ${expected}, got ${seqId}.`);
      }
      model.nextSeqId = seqId;
    }
    model.failedSeqId = undefined;
  }

  /** Runs by number: what comes early waits for its turn. */
  #startInOrder(operation: string, model: FakeModel, seqId: number, run: () => NonNullable<Job['result']>): Job {
    const turn = Promise.withResolvers<void>();
    this.#turns.set(`${model.id}/${seqId}`, turn.resolve);
    const job = this.#startAfter(turn.promise, operation, run);
    void job.done.then(() => {
      model.nextSeqId = seqId + 1;
      this.#turns.get(`${model.id}/${seqId + 1}`)?.();
    });
    if (seqId === model.nextSeqId) turn.resolve();
    return job;
  }

  #createModel(fields: Body): unknown {
    const id = this.#newId('model');
    const model: FakeModel = {
      id,
      sessionId: String(fields['session_id']),
      weight: 0,
      gradient: 0,
      sequences: 0,
      nextSeqId: 1,
      failedSeqId: undefined,
      applied: [],
      checkpoints: new Map(),
      loadedSampler: undefined,
    };
    if (fields['base_model'] !== 'fake/model' && this.kind !== 'skyrl') throw new Refusal(404, 'Unknown model');
    if (this.kind === 'skyrl') {
      Object.assign(model, this.#leakedGradient);
      this.#leakedGradient = { gradient: 0, sequences: 0 };
    }
    this.models.set(id, model);
    const job = this.#start('create_model', id, () => () => ({ json: { model_id: id, type: 'create_model' } }));
    return { request_id: job.id, model_id: id };
  }

  #unload(fields: Body): unknown {
    const id = String(fields['model_id']);
    const job = this.#start('unload_model', id, () => {
      const model = this.models.get(id);
      if (model !== undefined) this.#leakedGradient = { gradient: model.gradient, sequences: model.sequences };
      model?.applied.push('unload_model');
      return () => ({ json: { model_id: id } });
    });
    return { request_id: job.id, model_id: id };
  }

  #forwardBackward({ path, body, headers }: FakeRequest): unknown {
    const isBinary = (headers['content-type'] ?? '').includes('protobuf');
    if (isBinary && this.#options.jsonRequests === true) throw new Refusal(415, 'requires an application/json body');
    if (!isBinary && this.kind === 'tuft') throw new Refusal(415, 'requires an application/x-protobuf body');
    const request = isBinary ? decodeForwardBackwardRequest(body as Uint8Array) : readJsonRequest(body as Body, path);
    const text = isBinary ? Buffer.from(body as Uint8Array).toString('latin1') : JSON.stringify(body);
    const operation = request.forwardOnly === true ? 'forward' : 'forward_backward';
    const known = ['cross_entropy', 'importance_sampling', 'ppo', 'cispo'];
    const job = this.#sequenced({
      operation,
      modelId: request.modelId,
      seqId: request.seqId,
      text,
      work: (model) => {
        if (!known.includes(request.loss)) throw new Refusal(400, `loss ${request.loss} is not supported`);
        const outcomes = request.datums.map((datum) =>
          runLoss({
            datum,
            loss: request.loss,
            config: request.config ?? {},
            weight: model.weight,
            dividesByWeights: this.kind === 'skyrl',
          }),
        );
        if (request.forwardOnly !== true) {
          for (const { gradient } of outcomes) model.gradient += gradient;
          model.sequences += outcomes.length;
        }
        const metrics = this.kind === 'skyrl' ? {} : { 'loss:sum': outcomes.reduce((sum, { loss }) => sum + loss, 0) };
        return () =>
          this.#passResult(
            outcomes.map(({ logprobs }) => logprobs),
            metrics,
          );
      },
    });
    return { request_id: job.id, model_id: request.modelId };
  }

  #passResult(
    logprobs: readonly Float32Array[],
    metrics: Record<string, number>,
  ): { json: unknown } | { bytes: Uint8Array } {
    if (this.#options.jsonResults === true) {
      const outputs = logprobs.map((data) => ({
        logprobs: {
          data: Array.from(data, (value) => (Number.isNaN(value) ? null : value)),
          dtype: 'float32',
          shape: [data.length],
        },
      }));
      return { json: { loss_fn_output_type: 'TorchLossReturn', loss_fn_outputs: outputs, metrics } };
    }
    const flat = new Float32Array(logprobs.reduce((sum, { length }) => sum + length, 0));
    let offset = 0;
    for (const each of logprobs) {
      flat.set(each, offset);
      offset += each.length;
    }
    const field = {
      bytes: new Uint8Array(flat.buffer),
      dtype: DTYPES.float32,
      lengths: logprobs.map(({ length }) => length),
    };
    return {
      bytes: encodeForwardBackwardOutput({
        outputType: 'tinker:TorchLossReturn',
        records: [{ fields: { logprobs: field }, datums: logprobs.length }],
        metrics,
      }),
    };
  }

  #optimStep(fields: Body): unknown {
    const job = this.#sequenced({
      operation: 'optim_step',
      modelId: String(fields['model_id']),
      seqId: Number(fields['seq_id']),
      text: JSON.stringify(fields),
      work: (model) => {
        const { learning_rate: rate = 0 } = fields['adam_params'] as Record<string, number>;
        const divisor = this.kind === 'skyrl' ? Math.max(1, model.sequences) : 1;
        const gradient = model.gradient / divisor;
        // Plain descent, not Adam: the weight then shows the size of the gradient.
        model.weight -= rate * gradient;
        model.gradient = 0;
        model.sequences = 0;
        return () => ({ json: { metrics: { 'grad_norm:mean': Math.abs(gradient) } } });
      },
    });
    return { request_id: job.id };
  }

  #save(path: string, fields: Body): unknown {
    const modelId = String(fields['model_id']);
    const isSession = typeof fields['path'] !== 'string';
    const kind = path === 'save_weights' ? 'weights' : 'sampler_weights';
    const name = isSession
      ? `ss${String(fields['sampling_session_seq_id'])}_seq${String(fields['seq_id'])}`
      : String(fields['path']);
    const id = `${kind}/${name}`;
    const model = this.models.get(modelId);
    if (model === undefined) throw new Refusal(404, 'Model not found');
    const isTaken = model.checkpoints.has(id);
    const seqId = Number(fields['seq_id']);
    const isRepeat = this.kind !== 'skyrl' && this.#seen.has(`${modelId}/${seqId}`);
    if (isTaken && !isRepeat && this.kind === 'skyrl')
      throw new Refusal(409, `Checkpoint '${name}' already exists for model '${modelId}'`);
    if (isTaken && !isRepeat && this.kind === 'managed' && fields['overwrite'] !== true)
      throw new Refusal(409, `${name} exists`);
    // The name is taken from the moment of the call.
    model.checkpoints.set(id, Number.NaN);
    const sessionId = isSession ? this.#newId('sampling') : undefined;
    const work = (owner: FakeModel): NonNullable<Job['result']> => {
      owner.checkpoints.set(id, owner.weight);
      if (kind === 'sampler_weights') owner.loadedSampler = id;
      if (sessionId !== undefined) this.#samplers.set(sessionId, { modelId, checkpoint: `tinker://${modelId}/${id}` });
      const shown = this.kind === 'skyrl' && kind === 'sampler_weights' ? name : id;
      return () => ({
        json: sessionId === undefined ? { path: `tinker://${modelId}/${shown}` } : { sampling_session_id: sessionId },
      });
    };
    const text = JSON.stringify(fields);
    const job =
      this.kind === 'skyrl'
        ? this.#start(path, modelId, () => {
            model.applied.push(path);
            return work(model);
          })
        : this.#sequenced({ operation: path, modelId, seqId, text, work });
    return { request_id: job.id };
  }

  #load(fields: Body): unknown {
    const modelId = String(fields['model_id']);
    const model = this.models.get(modelId);
    if (model === undefined) throw new Refusal(404, 'Model not found');
    if (this.kind !== 'tuft' && model.applied.length > 0) {
      throw new Refusal(400, `LoadWeights is not permitted with seq_id ${String(fields['seq_id'])}`);
    }
    const { checkpoint } = this.#find(String(fields['path']));
    if (checkpoint === undefined) throw new Refusal(404, 'no such checkpoint');
    const job = this.#sequenced({
      operation: 'load_weights',
      modelId,
      seqId: Number(fields['seq_id']),
      text: JSON.stringify(fields),
      work: (owner) => {
        owner.weight = checkpoint;
        return () => ({ json: { path: fields['path'] } });
      },
    });
    return { request_id: job.id };
  }

  #find(path: string): { model: FakeModel; id: string; checkpoint: number | undefined } {
    const [run = '', ...rest] = path.replace('tinker://', '').split('/');
    const model = this.models.get(run);
    if (model === undefined) throw new Refusal(404, 'no such run');
    const id = rest.length === 1 ? `sampler_weights/${rest[0]}` : rest.join('/');
    return { model, id, checkpoint: model.checkpoints.get(id) };
  }

  #sample(fields: Body): unknown {
    const sampler = this.#samplers.get(String(fields['sampling_session_id']));
    if (sampler === undefined) throw new Refusal(404, 'Sampling session not found');
    const params = (fields['sampling_params'] ?? {}) as Body;
    if (this.kind === 'skyrl' && params['max_tokens'] === undefined)
      throw new Refusal(400, 'max_tokens is currently required');
    if (this.kind === 'skyrl' && typeof params['stop'] === 'string') throw new Refusal(422, 'stop must be a list');
    const samples = Number(fields['num_samples'] ?? 1);
    const job = this.#start('asample', undefined, () => {
      const result = this.#sampleResult(fields, sampler);
      return () => result;
    });
    void job.done.then(() => this.#announce(String(fields['sampling_session_id']), job));
    const names = Array.from({ length: samples }, (_, index) => `${job.id}:${index}`);
    return { request_id: job.id, ...(this.kind === 'managed' ? { sample_sequence_ids: names } : {}) };
  }

  #sampleResult(
    fields: Body,
    sampler: { modelId: string | undefined; checkpoint: string | undefined },
  ): { json: unknown } | { bytes: Uint8Array } {
    let weight = 0;
    if (sampler.checkpoint !== undefined) {
      const { model, id, checkpoint } = this.#find(sampler.checkpoint);
      weight = checkpoint ?? 0;
      if (this.kind === 'skyrl') {
        // Its engine loads the checkpoint into the model itself, and keeps what is there when it was loaded last.
        if (model.loadedSampler !== id) model.weight = weight;
        model.loadedSampler = id;
        weight = model.weight;
      }
    }
    const { chunks } = fields['prompt'] as { chunks: { tokens?: number[] }[] };
    const prompt = chunks.flatMap(({ tokens = [] }) => tokens);
    const params = fields['sampling_params'] as { max_tokens?: number; stop?: number[] };
    const stops = Array.isArray(params.stop) ? params.stop : [];
    const sequences = Array.from({ length: Number(fields['num_samples'] ?? 1) }, () => {
      const tokens: number[] = [...(this.#options.answer?.(prompt) ?? [])];
      const most = tokens.length > 0 ? 0 : (params.max_tokens ?? 16);
      for (let index = 0; index < most; index += 1) {
        tokens.push(((prompt.at(-1) ?? 0) + 1 + index) % 1000);
        if (stops.includes(tokens.at(-1)!)) break;
      }
      return {
        tokens: Int32Array.from(tokens),
        logprobs: Float32Array.from(tokens, (token) => tokenLogprob(token, weight)),
        stopReason: stops.includes(tokens.at(-1)!) ? ('stop' as const) : ('length' as const),
        topk: undefined,
      };
    });
    const all = Float32Array.from(prompt, (token, index) => (index === 0 ? Number.NaN : tokenLogprob(token, weight)));
    const promptLogprobs =
      fields['prompt_logprobs'] === true ? (this.kind === 'skyrl' ? all.subarray(1) : all) : undefined;
    if (this.#options.jsonResults === true) {
      const list = (values: Float32Array): (number | null)[] =>
        Array.from(values, (value) => (Number.isNaN(value) ? null : value));
      return {
        json: {
          sequences: sequences.map(({ tokens, logprobs, stopReason }) => ({
            tokens: [...tokens],
            logprobs: list(logprobs),
            stop_reason: stopReason,
          })),
          prompt_logprobs: promptLogprobs === undefined ? null : list(promptLogprobs),
        },
      };
    }
    return {
      bytes: encodeSampleResult({
        sequences,
        promptLogprobs,
        topkPrompt: undefined,
        targetPromptLogprobs: undefined,
        promptAlternatives: undefined,
        promptCacheHitTokens: 0,
      }),
    };
  }

  #endedOf(samplingSessionId: string): { announced: Body[]; wake: Set<() => void> } {
    const known = this.#ended.get(samplingSessionId) ?? { announced: [], wake: new Set() };
    this.#ended.set(samplingSessionId, known);
    return known;
  }

  #announce(samplingSessionId: string, { id, failure, result }: Job): void {
    const { announced, wake } = this.#endedOf(samplingSessionId);
    const sent = failure === undefined ? result!() : undefined;
    const size = sent !== undefined && 'bytes' in sent ? sent.bytes.byteLength : undefined;
    announced.push(
      failure === undefined
        ? { state: 'finished', request_id: id, response_payload_uncompressed_size: size }
        : { state: 'failed', request_id: id },
    );
    for (const resume of wake) resume();
  }

  async #retrieveEnded(fields: Body): Promise<{ status: number; json: unknown }> {
    const { sampling_session_id: id } = fields['target'] as Body;
    const cursor = Number(fields['prev_cursor']);
    const { announced, wake } = this.#endedOf(String(id));
    if (announced.length <= cursor) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake.add(resolve);
      const timer = setTimeout(resolve, this.#options.longPollMs ?? 1_000);
      await promise;
      clearTimeout(timer);
      wake.delete(resolve);
    }
    return { status: 200, json: { completions: announced.slice(cursor), cursor: announced.length } };
  }

  async #retrieve(
    { headers }: FakeRequest,
    fields: Body,
  ): Promise<{ status: number; json: unknown } | { bytes: Uint8Array }> {
    const id = String(fields['request_id']);
    const job = this.#jobs.get(id);
    if (job === undefined) throw new Refusal(404, 'Future not found');
    await Promise.race([job.done, new Promise((resolve) => setTimeout(resolve, this.#options.longPollMs ?? 1_000))]);
    if (!job.isDone) {
      const again = { type: 'try_again', request_id: id, queue_state: 'active' };
      if (this.kind === 'tuft') return { status: 200, json: again };
      return { status: 408, json: this.kind === 'managed' ? again : { detail: 'Timeout waiting for result' } };
    }
    if (job.failure !== undefined) return { status: job.failure.status, json: job.failure.body };
    const result = job.result!();
    if (!('bytes' in result)) return { status: 200, json: result.json };
    const { inlineLimitBytes = Number.POSITIVE_INFINITY } = this.#options;
    if (fields['allow_metadata_only'] === true && result.bytes.byteLength > inlineLimitBytes) {
      return { status: 200, json: { status: 'complete_metadata', response_payload_size: result.bytes.byteLength } };
    }
    if (!(headers.accept ?? '').includes('protobuf')) return { status: 200, json: { detail: 'protobuf only' } };
    return result;
  }
}

function readJsonRequest(body: Body, path: string): ForwardBackwardRequest {
  const input = body[path === 'forward' ? 'forward_input' : 'forward_backward_input'] as {
    data: { model_input: { chunks: { tokens: number[] }[] }; loss_fn_inputs: Body }[];
    loss_fn: string;
    loss_fn_config?: Record<string, number>;
  };
  return {
    modelId: String(body['model_id']),
    seqId: Number(body['seq_id']),
    loss: input.loss_fn,
    config: input.loss_fn_config ?? {},
    forwardOnly: path === 'forward',
    datums: input.data.map(({ model_input: { chunks }, loss_fn_inputs: inputs }) => ({
      tokens: Int32Array.from(chunks.flatMap(({ tokens }) => tokens)),
      inputs: Object.fromEntries(Object.entries(inputs).map(([name, tensor]) => [name, tensorFromJson(tensor, name)])),
    })),
  };
}

function send(response: ServerResponse, status: number, json: unknown, headers: Record<string, string> = {}): void {
  const body = json === '' ? '' : JSON.stringify(json);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

function sendBytes(response: ServerResponse, bytes: Uint8Array): void {
  response.writeHead(200, { 'content-type': 'application/x-protobuf', 'content-length': bytes.byteLength });
  response.end(bytes);
}
