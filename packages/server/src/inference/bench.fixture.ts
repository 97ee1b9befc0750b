import type { ActivePolicy } from '@lachesis/protocol';
import { loadTokenizer, type Tokenizer } from '@lachesis/sdk/render';
import { openStore, type Store } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { CircuitBreaker } from './calls/circuit-breaker.ts';
import { createInferenceStation, type InferenceStation, type UpstreamBackend } from './create-station.ts';
import type { PolicyMemory } from './policy/memory.ts';
import type { PromotedModels } from './policy/promoted-follower.ts';
import type { WeightsSource } from './policy/weights-source.ts';
import { noRecorder, type CallRecorder } from './recording/call-recorder.ts';
import { writeByteModel } from '../services/models/byte-model.fixture.ts';
import { createLog } from '../http/logs/create-log.ts';
import { readInferenceSettings } from '../http/settings/inference-settings.ts';
import { createInferenceHttp } from '../http/inference-http.ts';

export interface InferenceBench extends AsyncDisposable {
  app: ReturnType<typeof createInferenceHttp>['app'];
  routes: ReturnType<typeof createInferenceHttp>['routes'];
  station: InferenceStation;
  breaker: CircuitBreaker;
  /** Makes time pass for the breaker. */
  pass(ms: number): void;
  call(method: 'GET' | 'POST', url: string, body?: unknown, headers?: Record<string, string>): Promise<BenchReply>;
}

/** The fields that tests look at; which of them are there depends on the call. */
export interface BenchBody {
  error: { code: string; type: string; param: string | null; message: string; hint: string };
  choices: {
    index: number;
    finish_reason: string;
    message: { content: string; tool_calls: { id: string }[] };
    delta: { content?: string };
    logprobs: { content: unknown[] };
    prompt_token_ids: number[];
  }[];
  prompt_token_ids: number[];
  paths: Record<string, unknown>;
  in_flight: number;
}

export interface BenchReply {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  json(): BenchBody;
}

/** What benches share because it takes long to make: a store, and a model with one token per byte. */
export interface InferenceKit extends AsyncDisposable {
  store: Store;
  bench(
    backend:
      | { source: WeightsSource; memory?: PolicyMemory; maxModelLength?: number; promoted?: PromotedModels }
      | UpstreamBackend,
    options?: Record<string, unknown>,
    recorder?: CallRecorder,
  ): Promise<InferenceBench>;
}

export async function createInferenceKit(): Promise<InferenceKit> {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-inference-'));
  const model = await writeByteModel();
  const tokenizer = await loadTokenizer({ directory: model.directory });
  const store = await openStore({ sqlitePath: join(home, 'lachesis.db'), onBackgroundError: () => undefined });
  return {
    store,
    bench: (backend, options = {}, recorder = noRecorder) =>
      createBench({ store, tokenizer, backend, options: { home, ...options }, recorder }),
    async [Symbol.asyncDispose]() {
      await store.close();
      await model.remove();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** A whole inference server over a source of a test's own, without a socket. */
async function createBench({
  store,
  tokenizer,
  backend,
  options,
  recorder,
}: {
  store: Store;
  tokenizer: Tokenizer;
  backend: Parameters<InferenceKit['bench']>[0];
  options: Record<string, unknown>;
  recorder: CallRecorder;
}): Promise<InferenceBench> {
  const { values: settings } = readInferenceSettings({ logLevel: 'silent', ...options }, {});
  const log = createLog({ name: 'inference', level: settings.logLevel });
  const registry = new Registry();
  let [id, now] = [0, 0];
  const breaker = new CircuitBreaker({ name: 'the engine', monotonic: () => now });
  const station = createInferenceStation({
    settings,
    backend:
      'kind' in backend
        ? backend
        : {
            kind: 'tinker',
            source: backend.source,
            memory: backend.memory ?? createForgetfulMemory(),
            tokenizer,
            baseModel: 'tiny',
            maxModelLength: backend.maxModelLength,
            promoted: backend.promoted,
          },
    breaker,
    registry,
    log,
    nextId: () => String((id += 1)),
    now: () => 1_700_000_000_000 + now,
    recorder,
  });
  const { routes, misdirected } = station;
  const http = createInferenceHttp({
    settings,
    store,
    registry,
    audit: { observe: () => undefined },
    log,
    routes,
    misdirected,
    title: 'test',
    run: settings.run,
  });
  await http.app.ready();
  return {
    ...http,
    station,
    breaker,
    pass: (ms) => void (now += ms),
    async call(method, url, body, headers = {}) {
      const reply = await http.app.inject({
        method,
        url,
        headers: { host: 'localhost', 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      });
      return { status: reply.statusCode, headers: reply.headers, text: reply.body, json: () => reply.json() };
    },
    async [Symbol.asyncDispose]() {
      await station.close();
      await http.app.close();
    },
  };
}

function createForgetfulMemory(): PolicyMemory {
  let kept: readonly ActivePolicy[] = [];
  return { load: async () => [...kept], save: async (history) => void (kept = history) };
}
