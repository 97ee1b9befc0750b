import { TinkerNotFoundError, type SamplingClient, type TinkerService } from '@lachesis/tinker';
import type { SampledReply, TokenSample, Weights, WeightsSampler, WeightsSource } from '../policy/weights-source.ts';
import type { TinkerConnection } from './tinker-connection.ts';
import { untilAborted } from './until-aborted.ts';

export interface TinkerSourceOptions {
  connection: TinkerConnection;
  /** Ids that end a reply, for servers that do not stop by themselves. */
  eosTokens: readonly number[];
  vocabularySize?: number | undefined;
  maxLength?: number | undefined;
  /** How long one sample may take. */
  timeoutMs: number;
}

/** Loading a large checkpoint takes minutes. */
const OPEN_TIMEOUT_MS = 10 * 60_000;
const PROBE_TIMEOUT_MS = 5 * 60_000;

/** Samples from a Tinker server. A server that forgot the session, as after a restart, gets a new one. */
export function createTinkerSource(options: TinkerSourceOptions): WeightsSource {
  const { connection } = options;
  return {
    async open(weights, { signal }) {
      const sampler = new TinkerSampler(options, weights, signal);
      await sampler.probe();
      return sampler;
    },
    close: () => connection.close(),
  };
}

class TinkerSampler implements WeightsSampler {
  readonly #options: TinkerSourceOptions;
  readonly #weights: Weights;
  /** Ends with the station. */
  readonly #lifetime: AbortSignal | undefined;
  #loaded: { service: TinkerService; client: Promise<SamplingClient> } | undefined;
  #isClosed = false;

  constructor(options: TinkerSourceOptions, weights: Weights, lifetime: AbortSignal | undefined) {
    this.#options = options;
    this.#weights = weights;
    this.#lifetime = lifetime;
  }

  /** One token, to see that the weights answer. */
  async probe(): Promise<void> {
    const [token = 0] = this.#options.eosTokens;
    const client = await this.#client(this.#lifetime);
    await client.sample({
      prompt: Int32Array.of(token),
      params: { maxTokens: 1, stop: [token] },
      timeoutMs: PROBE_TIMEOUT_MS,
      signal: this.#lifetime,
    });
  }

  async sample(request: TokenSample): Promise<SampledReply> {
    const { connection } = this.#options;
    const service = this.#loaded?.service;
    try {
      return await this.#sampleOnce(request);
    } catch (error) {
      // The server does not know our session any more: it was restarted, or took us for gone.
      if (!TinkerNotFoundError.isInstance(error) || this.#isClosed || request.signal?.aborted === true) throw error;
      if (service !== undefined) connection.forget(service);
      return this.#sampleOnce(request);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const loaded = this.#loaded;
    if (loaded === undefined || !this.#options.connection.isCurrent(loaded.service)) return;
    const client = await loaded.client.catch(() => undefined);
    await client?.close();
  }

  async #sampleOnce(request: TokenSample): Promise<SampledReply> {
    const client = await this.#client(request.signal);
    const { prompt, samples, maxTokens, temperature, topP, topK, seed, stopTokens, promptLogprobs, signal } = request;
    const reply = await client.sample({
      prompt,
      samples,
      params: { maxTokens, temperature, topP, topK, seed, stop: stopTokens.length === 0 ? undefined : stopTokens },
      promptLogprobs,
      timeoutMs: this.#options.timeoutMs,
      signal,
    });
    return { sequences: reply.sequences, promptLogprobs: reply.promptLogprobs };
  }

  /** The client of the session of this moment; all callers of a new session wait for one loading. */
  async #client(signal: AbortSignal | undefined): Promise<SamplingClient> {
    const service = await this.#options.connection.open(signal);
    if (this.#loaded?.service !== service) {
      const client = this.#load(service);
      this.#loaded = { service, client };
      // A failure is not remembered: the next caller tries again.
      client.catch(() => {
        if (this.#loaded?.client === client) this.#loaded = undefined;
      });
    }
    return untilAborted(this.#loaded.client, signal);
  }

  #load(service: TinkerService): Promise<SamplingClient> {
    const { eosTokens, vocabularySize, maxLength } = this.#options;
    const { modelPath, baseModel } = this.#weights;
    return service.createSampler({
      ...(modelPath === null ? { baseModel } : { modelPath }),
      eosTokens,
      vocabularySize,
      maxLength,
      timeoutMs: OPEN_TIMEOUT_MS,
      signal: this.#lifetime,
    });
  }
}
