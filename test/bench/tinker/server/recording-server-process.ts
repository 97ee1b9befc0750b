import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { encodeSample } from './encode-sample.ts';
import { MODEL, SAMPLES } from '../workload.ts';
import type { Recording, RecordingServerOptions } from './recording.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as RecordingServerOptions;

const sampleResult = encodeSample({
  tokens: Int32Array.from({ length: SAMPLES.sampledTokens }, (_, index) => 1000 + index),
  logprobs: new Float32Array(SAMPLES.sampledTokens).fill(-0.5),
});

/** When a sample is done, by its id. */
const samples = new Map<string, number>();
/** What the session poller is told, in the order in which samples ended. */
const finished: string[] = [];
let onFinished: (() => void)[] = [];
/** Bodies of passes as they came, piece by piece; kept when asked for, since the memory for them takes time. */
let bodies: Buffer[] = [];
let recordsBodies = false;
let passRequests = 0;
let lastPassNs = 0n;
let heartbeats: number[] = [];
let counts: Record<string, number> = {};
let lastId = 0;

const newId = (kind: string): string => {
  lastId += 1;
  return `${kind}-${lastId}`;
};

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const pieces: Buffer[] = [];
  const isDropped = !recordsBodies && request.url === '/api/v1/forward_backward';
  request.on('data', (piece: Buffer) => void (isDropped || pieces.push(piece)));
  request.on('end', () => answer(request, response, pieces));
});

function answer(request: IncomingMessage, response: ServerResponse, pieces: readonly Buffer[]): void {
  const path = (request.url ?? '').replace('/api/v1/', '');
  counts[path] = (counts[path] ?? 0) + 1;
  const json = (): Record<string, unknown> =>
    JSON.parse(Buffer.concat(pieces).toString('utf8')) as Record<string, unknown>;
  switch (path) {
    case '/recording':
      return send(response, toRecording());
    case '/forget':
    case '/keep':
      [bodies, heartbeats, counts, passRequests, recordsBodies] = [[], [], {}, 0, path === '/keep'];
      return send(response, toRecording());
    case 'client/config':
      return send(response, options.flags);
    case 'client/dynamic_config':
      return send(response, { refresh_interval_sec: 300 });
    case 'get_server_capabilities':
      return send(response, { supported_models: [{ model_name: MODEL, max_context_length: 32_768 }] });
    case 'create_session':
      return send(response, { session_id: newId('session'), type: 'create_session' });
    case 'session_heartbeat':
      heartbeats.push(performance.now());
      return send(response, { type: 'session_heartbeat' });
    case 'create_model':
      return send(response, { request_id: newId('model'), model_id: 'model' });
    case 'create_sampling_session':
      return send(response, { sampling_session_id: newId('sampling'), type: 'create_sampling_session' });
    case 'forward_backward':
      send(response, { request_id: newId('pass') });
      lastPassNs = process.hrtime.bigint();
      passRequests += 1;
      bodies.push(...pieces);
      return undefined;
    case 'asample': {
      const id = newId('sample');
      samples.set(id, performance.now() + options.delayMs);
      if (options.flags['sample_use_retrieve_futures'] === true) setTimeout(finish, options.delayMs, id);
      return send(response, { request_id: id, sample_sequence_ids: [`${id}:0`] });
    }
    case 'retrieve_future':
      return retrieve(response, String(json()['request_id']));
    case 'retrieve_futures':
      return void retrieveAll(response, Number(json()['prev_cursor']));
    default:
      return send(response, { type: path });
  }
}

function finish(id: string): void {
  finished.push(id);
  const waiting = onFinished;
  onFinished = [];
  for (const resume of waiting) resume();
}

async function retrieveAll(response: ServerResponse, cursor: number): Promise<void> {
  if (finished.length <= cursor) {
    const { promise, resolve } = Promise.withResolvers<void>();
    onFinished.push(resolve);
    const timer = setTimeout(resolve, 20_000);
    await promise;
    clearTimeout(timer);
  }
  const completions = finished.slice(cursor).map((id) => ({
    state: 'finished',
    request_id: id,
    response_payload_uncompressed_size: sampleResult.byteLength,
  }));
  send(response, { completions, cursor: finished.length });
}

function retrieve(response: ServerResponse, id: string): void {
  if (id.startsWith('model')) return send(response, { model_id: 'model', type: 'create_model' });
  // What a pass would have computed is nobody's question here: both clients are told at once that there is nothing.
  if (id.startsWith('pass')) return send(response, { error: 'recorded and not computed', category: 'user' });
  const doneAt = samples.get(id);
  if (doneAt === undefined) return send(response, { detail: 'no such future' }, 404);
  const waitMs = doneAt - performance.now();
  if (waitMs > 0) setTimeout(sendSample, waitMs, response);
  else sendSample(response);
  return undefined;
}

function sendSample(response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'application/x-protobuf',
    'content-length': sampleResult.byteLength,
  });
  response.end(sampleResult);
}

function send(response: ServerResponse, json: unknown, status = 200): void {
  const text = JSON.stringify(json);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

function toRecording(): Recording {
  const histogram = new Array<number>(256).fill(0);
  for (const piece of bodies) for (const byte of piece) histogram[byte]! += 1;
  const bytes = bodies.reduce((sum, piece) => sum + piece.byteLength, 0);
  return { heartbeats, counts, passes: { requests: passRequests, bytes, histogram, lastNs: String(lastPassNs) } };
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`URL http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
