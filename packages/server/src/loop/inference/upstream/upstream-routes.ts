import { LachesisError, POLICY_HEADER, ROLLOUT_ID_HEADER } from '@lachesis/protocol';
import type { FastifyReply } from 'fastify';
import { pipeline } from 'node:stream/promises';
import type { Route, RouteCall } from '../../../platform/http/route.ts';
import type { CircuitBreaker } from '../calls/circuit-breaker.ts';
import type { CompletionCall } from '../calls/completion-call.ts';
import { guardCompletion, type GuardParts } from '../calls/guard-completion.ts';
import { mapModel, type ModelNames } from './map-model.ts';
import type { SendUpstream, UpstreamReply } from './send-upstream.ts';

type Headers = Readonly<Record<string, string>>;

export interface UpstreamParts extends GuardParts {
  /** With its `/v1`. */
  url: string;
  apiKey: string | undefined;
  models: ModelNames;
  send: SendUpstream;
  breaker: CircuitBreaker;
  timeoutMs: number;
}

/** What a caller may tell the upstream. Its credential is ours to check and never goes on. */
const PASSED_ON = ['content-type', 'accept', 'user-agent', ROLLOUT_ID_HEADER, POLICY_HEADER];
/** Replies up to this size are passed back whole. */
const WHOLE_BYTES = 1024 * 1024;
const PASSED_BACK = ['content-type', 'content-length', 'retry-after', 'x-request-id', 'cache-control'];

/** The doors of an OpenAI-compatible server, passed through as they are. */
export function createUpstreamRoutes(parts: UpstreamParts): Route[] {
  const root = parts.url.replace(/\/+$/, '').replace(/\/v1$/, '');
  const pass = (method: 'GET' | 'POST', path: string, address: string, summary: string): Route => ({
    method,
    path,
    scope: 'inference:call',
    perRun: false,
    summary,
    ...(method === 'POST' ? { body: { contentType: 'application/json' } } : {}),
    handle: (routeCall) =>
      guardCompletion(parts, routeCall, (call) => passOn(parts, { routeCall, call, method, address })),
  });
  const base = parts.url.replace(/\/+$/, '');
  return [
    pass('POST', '/v1/chat/completions', `${base}/chat/completions`, 'Chat completions of the upstream server.'),
    pass('POST', '/v1/completions', `${base}/completions`, 'Completions of the upstream server.'),
    pass('GET', '/v1/models', `${base}/models`, 'The models of the upstream server, by its own names.'),
    pass('POST', '/generate', `${root}/generate`, 'Generation of the upstream server, where it has that.'),
  ];
}

async function passOn(
  parts: UpstreamParts,
  options: { routeCall: RouteCall; call: CompletionCall; method: 'GET' | 'POST'; address: string },
): Promise<void> {
  const { breaker, models, apiKey, timeoutMs } = parts;
  const { routeCall, call, method, address } = options;
  const { request, reply } = routeCall;
  const headers: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  if (apiKey !== undefined) headers['authorization'] = `Bearer ${apiKey}`;
  const given = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  const body = method === 'GET' ? undefined : mapModel(given, models);
  const circuit = breaker.enter();
  try {
    const answer = await parts.send({ method, url: address, headers, body, signal: call.signal, timeoutMs });
    if (answer.status >= 500) circuit.failed(`HTTP ${answer.status}`);
    else circuit.succeeded();
    await passBack(reply, answer);
  } catch (error) {
    if (call.signal.aborted) circuit.abandoned();
    else circuit.failed(describeFailure(error));
    throw error;
  }
}

function passBack(reply: FastifyReply, answer: UpstreamReply): Promise<void> {
  const headers = { ...(reply.getHeaders() as Record<string, string>) };
  for (const name of PASSED_BACK) {
    const value = answer.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  reply.hijack();
  const length = Number(answer.headers['content-length'] ?? Number.NaN);
  return length <= WHOLE_BYTES ? sendWhole(reply, answer, headers) : sendPieces(reply, answer, headers);
}

/** Head and body in one write: at hundreds of replies a second, writes are what a gateway costs. */
function sendWhole(reply: FastifyReply, { status, body }: UpstreamReply, headers: Headers): Promise<void> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    body.on('data', (chunk: Buffer) => chunks.push(chunk));
    body.once('error', (error) => {
      reply.raw.destroy();
      reject(error);
    });
    body.once('end', () => {
      reply.raw.writeHead(status, headers);
      reply.raw.end(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
      resolve();
    });
  });
}

/** The head goes at once, each piece when it comes, and no faster than the caller reads. */
async function sendPieces(reply: FastifyReply, { status, body }: UpstreamReply, headers: Headers): Promise<void> {
  reply.raw.writeHead(status, headers);
  reply.raw.flushHeaders();
  await pipeline(body, reply.raw);
}

function describeFailure(error: unknown): string {
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  return typeof code === 'string' ? code : typeof message === 'string' ? message : 'no answer';
}

/** An upstream that does not answer is not our fault, and may answer later. */
export function toUpstreamError(thrown: unknown): unknown {
  if (LachesisError.isInstance(thrown)) return thrown;
  return new LachesisError({
    code: 'unavailable',
    message: `the upstream server does not answer (${describeFailure(thrown)})`,
    hint: 'Check --upstream-url; send the same request after Retry-After.',
    retryAfterSeconds: 2,
    cause: thrown,
  });
}
