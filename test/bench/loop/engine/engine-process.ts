import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { zstdDecompressSync } from 'node:zlib';

import { DTYPES } from '../../../../packages/tinker/src/codec/tensor.ts';
import {
  decodeForwardBackwardRequest,
  encodeForwardBackwardOutput,
  encodeSampleResult,
} from '../../../../packages/tinker/src/testing/server-codec.fixture.ts';
import type { EngineDelays, EngineJob } from './engine-options.ts';

/*
 * A Tinker server that computes nothing and takes a fixed time for everything, so that whatever else passes is the client's.
 * Training jobs run one after another, samples beside each other. `POST /jobs` gives what it did since the last such question.
 */

const delays = JSON.parse(process.argv[2] ?? '{}') as EngineDelays;

interface Job {
  readonly done: Promise<void>;
  readonly answer: () => Uint8Array | object;
}

type Body = Record<string, unknown>;

const jobs = new Map<string, Job>();
let done: EngineJob[] = [];
let line: Promise<void> = Promise.resolve();
let lastId = 0;

const newId = (kind: string): string => `${kind}-${(lastId += 1)}`;
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function start(options: {
  operation: string;
  ms: number;
  arrivedMs: number;
  answer: Job['answer'];
  isInLine: boolean;
}): { request_id: string } {
  const id = newId('request');
  const run = async (): Promise<void> => {
    const startedMs = performance.now();
    await wait(options.ms);
    done.push({ operation: options.operation, arrivedMs: options.arrivedMs, startedMs, endedMs: performance.now() });
  };
  const running = options.isInLine ? line.then(run) : run();
  if (options.isInLine) line = running;
  jobs.set(id, { done: running, answer: options.answer });
  return { request_id: id };
}

/** Every token is as likely as any other; what matters is that each position of each sequence has an answer. */
function passResult(bytes: Uint8Array): Uint8Array {
  const { datums } = decodeForwardBackwardRequest(bytes);
  const lengths = datums.map(({ tokens }) => tokens.length);
  const logprobs = new Float32Array(lengths.reduce((sum, length) => sum + length, 0)).fill(-0.5);
  const field = { bytes: new Uint8Array(logprobs.buffer), dtype: DTYPES.float32, lengths };
  return encodeForwardBackwardOutput({
    outputType: 'tinker:TorchLossReturn',
    records: [{ fields: { logprobs: field }, datums: lengths.length }],
    metrics: { 'loss:sum': 1 },
  });
}

const samples = new Map<string, Uint8Array>();

/** Letters of ASCII, so that any byte-level tokenizer has text for them. */
function sampleResult(count: number, length: number): Uint8Array {
  const key = `${count}/${length}`;
  const known = samples.get(key);
  if (known !== undefined) return known;
  const sequence = {
    tokens: Int32Array.from({ length }, (_, index) => 65 + (index % 26)),
    logprobs: new Float32Array(length).fill(-0.5),
    stopReason: 'length' as const,
    topk: undefined,
  };
  const made = encodeSampleResult({
    sequences: Array.from({ length: count }, () => sequence),
    promptLogprobs: undefined,
    topkPrompt: undefined,
    promptCacheHitTokens: 0,
    targetPromptLogprobs: undefined,
    promptAlternatives: undefined,
  });
  samples.set(key, made);
  return made;
}

function train(operation: string, ms: number, arrivedMs: number, answer: Job['answer']): { request_id: string } {
  return start({ operation, ms, arrivedMs, answer, isInLine: true });
}

function route(path: string, bytes: Buffer, arrivedMs: number): object | undefined {
  const body = (): Body => JSON.parse(bytes.toString('utf8')) as Body;
  switch (path) {
    case '/jobs': {
      const told = done;
      done = [];
      return told;
    }
    case 'healthz':
      return { status: 'ok' };
    case 'client/config':
      return { pjwt_auth_enabled: false, credential_default_source: 'api_key', parallel_fwdbwd_chunks: false };
    case 'client/dynamic_config':
      return { refresh_interval_sec: 300 };
    case 'get_server_capabilities':
      return { supported_models: [{ model_name: 'bench/model', max_context_length: 32_768 }] };
    case 'create_session':
      return { session_id: newId('session'), type: 'create_session' };
    case 'create_model': {
      const modelId = newId('model');
      return { ...train(path, 0, arrivedMs, () => ({ model_id: modelId, type: 'create_model' })), model_id: modelId };
    }
    case 'create_sampling_session':
      return { sampling_session_id: newId('sampling'), type: 'create_sampling_session' };
    case 'forward_backward': {
      const result = passResult(bytes);
      return train(path, delays.passMs, arrivedMs, () => result);
    }
    case 'optim_step':
      return train(path, delays.optimizerMs, arrivedMs, () => ({ metrics: { 'grad_norm:mean': 1 } }));
    case 'save_weights':
    case 'save_weights_for_sampler': {
      const { path: name, model_id: model } = body();
      const kind = path === 'save_weights' ? 'weights' : 'sampler_weights';
      const answer =
        typeof name === 'string'
          ? { path: `tinker://${String(model)}/${kind}/${name}` }
          : { sampling_session_id: newId('sampling') };
      return train(path, delays.saveMs, arrivedMs, () => answer);
    }
    case 'asample': {
      const { num_samples: count, sampling_params: params } = body();
      const result = sampleResult(Number(count ?? 1), Number((params as Body)['max_tokens'] ?? 16));
      const made = start({
        operation: path,
        ms: delays.sampleMs,
        arrivedMs,
        answer: () => result,
        isInLine: false,
      });
      return {
        ...made,
        sample_sequence_ids: Array.from({ length: Number(count ?? 1) }, (_, index) => `${made.request_id}:${index}`),
      };
    }
    default:
      return { type: path };
  }
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const arrivedMs = performance.now();
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const sent = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  const bytes = request.headers['content-encoding'] === 'zstd' ? zstdDecompressSync(sent) : sent;
  const path = (request.url ?? '').replace('/api/v1/', '');
  if (path !== 'retrieve_future') {
    send(response, route(path, bytes, arrivedMs) ?? {});
    return;
  }
  const id = String((JSON.parse(bytes.toString('utf8')) as Body)['request_id']);
  const job = jobs.get(id);
  if (job === undefined) {
    send(response, { detail: 'no such future' }, 404);
    return;
  }
  await job.done;
  send(response, job.answer());
}

function send(response: ServerResponse, answer: Uint8Array | object, status = 200): void {
  const isBinary = answer instanceof Uint8Array;
  const bytes = isBinary ? answer : Buffer.from(JSON.stringify(answer));
  response.writeHead(status, {
    'content-type': isBinary ? 'application/x-protobuf' : 'application/json',
    'content-length': bytes.byteLength,
  });
  response.end(bytes);
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  // A client that is killed in the middle of a call leaves nobody to answer.
  serve(request, response).catch(() => response.destroy());
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  process.stdout.write(`URL http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
