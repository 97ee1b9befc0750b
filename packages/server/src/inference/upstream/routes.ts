import { isRecord, HEADERS, LachesisError } from '@lachesis/protocol';
import type { CallEndpoint } from '@lachesis/sdk/capture';
import type { FastifyReply } from 'fastify';
import { readCredential } from '../../http/access/read-credential.ts';
import { defineRoute, sentByHand } from '../../http/define-route.ts';
import { bytesBody } from '../../http/read-body.ts';
import { JSON_TYPE, LARGE_BODY, type Route, type RouteCall } from '../../http/route.ts';
import { isNotJson } from '../../http/json/json-reader.ts';
import type { CircuitBreaker } from '../calls/circuit-breaker.ts';
import type { CompletionCall } from '../calls/completion-call.ts';
import { guardCompletion, type GuardParts } from '../calls/guard-completion.ts';
import { beginCall } from '../recording/begin-call.ts';
import { noRecorder, type CallRecorder, type OpenCall } from '../recording/call-recorder.ts';
import { describeThrown } from '../recording/describe-error.ts';
import { isOurCredential } from '../../http/access/split-credential.ts';
import { withTrajectoryPaths } from '../recording/trajectory-paths.ts';
import { mapModel, type ModelNames } from './map-model.ts';
import { recordReply, type ReplyRecorder } from './record-reply.ts';
import type { SendUpstream, UpstreamReply } from './send-upstream.ts';
import type { TokenAsker } from './token-asker.ts';

type Headers = Readonly<Record<string, string>>;

export interface UpstreamParts extends GuardParts {
  /** With its `/v1`. */
  url: string;
  apiKey: string | undefined;
  models: ModelNames;
  send: SendUpstream;
  breaker: CircuitBreaker;
  recorder: CallRecorder;
  asker: TokenAsker;
  timeoutMs: number;
}

/** What a caller may tell the upstream. A token of ours never goes on. */
const PASSED_ON = ['content-type', 'accept', 'user-agent', HEADERS.rolloutId, HEADERS.policy];
/** Replies up to this size are passed back whole. */
const WHOLE_BYTES = 1024 * 1024;
const PASSED_BACK = ['content-type', 'content-length', 'retry-after', 'x-request-id', 'cache-control'];

/** The routes of an OpenAI-compatible server, passed through as they are. */
export function createUpstreamRoutes(parts: UpstreamParts): Route[] {
  const root = parts.url.replace(/\/+$/, '').replace(/\/v1$/, '');
  const pass = (path: string, address: string, summary: string, endpoint?: CallEndpoint): Route =>
    defineRoute({
      method: endpoint === undefined ? 'GET' : 'POST',
      path,
      scope: 'inference:call',
      summary,
      ...(endpoint === undefined ? {} : { body: bytesBody(JSON_TYPE), maxBodyBytes: LARGE_BODY }),
      reply: sentByHand(JSON_TYPE),
      handle: (routeCall) =>
        guardCompletion(parts, routeCall, (call) => passOn(parts, { routeCall, call, endpoint, address })),
    });
  const base = parts.url.replace(/\/+$/, '');
  return withTrajectoryPaths([
    pass('/v1/chat/completions', `${base}/chat/completions`, 'Chat completions of the upstream server.', 'chat'),
    pass('/v1/completions', `${base}/completions`, 'Completions of the upstream server.', 'completions'),
    pass('/v1/models', `${base}/models`, 'The models of the upstream server, by its own names.'),
    pass('/generate', `${root}/generate`, 'Generation of the upstream server, where it has that.', 'generate'),
  ]);
}

async function passOn(
  parts: UpstreamParts,
  options: { routeCall: RouteCall; call: CompletionCall; endpoint: CallEndpoint | undefined; address: string },
): Promise<undefined> {
  const { breaker, apiKey, timeoutMs } = parts;
  const { routeCall, call, endpoint, address } = options;
  const { request, reply } = routeCall;
  const headers: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = request.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const authorization = apiKey === undefined ? findProviders(request.headers.authorization) : `Bearer ${apiKey}`;
  if (authorization !== undefined) headers['authorization'] = authorization;
  const { body, open } = endpoint === undefined ? {} : await prepare(parts, routeCall, endpoint);
  let recording: ReplyRecorder | undefined;
  try {
    const circuit = breaker.enter();
    try {
      const method = endpoint === undefined ? 'GET' : 'POST';
      const answer = await parts.send({ method, url: address, headers, body, signal: call.signal, timeoutMs });
      if (answer.status >= 500) circuit.failed(`HTTP ${answer.status}`);
      else circuit.succeeded();
      if (endpoint !== undefined && open !== undefined) recording = recordReply(open, endpoint, answer);
      await passBack({ reply, answer, recording, signal: call.signal });
    } catch (error) {
      if (call.signal.aborted) circuit.abandoned();
      else circuit.failed(describeFailure(error));
      throw error;
    }
  } catch (error) {
    // Who hung up knows why; anything else is told.
    const told = call.signal.aborted ? undefined : describeThrown(toUpstreamError(error));
    if (recording !== undefined) recording.breakOff(told);
    else if (told === undefined) open?.interrupted(undefined);
    else open?.failed(told);
    throw error;
  }
}

/** A caller's credential that is for the upstream: it goes on where we have no key of our own, and is kept nowhere. */
function findProviders(authorization: string | undefined): string | undefined {
  return isOurCredential(readCredential(authorization) ?? '') ? undefined : authorization;
}

/** Reads the request once, for its record and for what has to be changed. The same bytes go on when nothing is. */
async function prepare(
  { models, recorder, asker, url }: UpstreamParts,
  routeCall: RouteCall,
  endpoint: CallEndpoint,
): Promise<{ body: Uint8Array; open: OpenCall | undefined }> {
  if (recorder === noRecorder && models.size === 0) return { body: bytesOf(routeCall), open: undefined };
  const parsed = await readFields(routeCall);
  const bytes = bytesOf(routeCall);
  const open = beginCall({ recorder, routeCall, endpoint, body: parsed, upstream: new URL(url).host });
  if (parsed === undefined) return { body: bytes, open };
  const model = mapModel(parsed, models);
  const asked = open === undefined ? undefined : await asker.find(endpoint);
  if (model === undefined && asked === undefined) return { body: bytes, open };
  const changed = { ...asked, ...parsed, ...(model === undefined ? {} : { model }) };
  return { body: Buffer.from(JSON.stringify(changed)), open };
}

const bytesOf = ({ request: { body } }: RouteCall): Uint8Array =>
  body instanceof Uint8Array ? body : new Uint8Array();

/** Undefined for what is no object: the upstream says what is wrong with it. */
async function readFields(routeCall: RouteCall): Promise<Record<string, unknown> | undefined> {
  try {
    const parsed = await routeCall.readJson();
    return isRecord(parsed) ? parsed : undefined;
  } catch (error) {
    if (isNotJson(error)) return undefined;
    throw error;
  }
}

function passBack(options: {
  reply: FastifyReply;
  answer: UpstreamReply;
  recording: ReplyRecorder | undefined;
  signal: AbortSignal;
}): Promise<void> {
  const { reply, answer, recording, signal } = options;
  const headers = { ...(reply.getHeaders() as Record<string, string>) };
  for (const name of PASSED_BACK) {
    const value = answer.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  reply.hijack();
  // Before whoever passes the pieces on, so that the record is written before the last of them.
  if (recording !== undefined) {
    answer.body.on('data', (chunk: Buffer) => recording.take(chunk));
    answer.body.once('end', () => recording.end());
    // Here it can still be told who broke it off: right after, our own side closes too.
    answer.body.once('error', (error) =>
      recording.breakOff(signal.aborted ? undefined : describeThrown(toUpstreamError(error))),
    );
  }
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
function sendPieces({ raw }: FastifyReply, { status, body }: UpstreamReply, headers: Headers): Promise<void> {
  raw.writeHead(status, headers);
  raw.flushHeaders();
  // By hand: `pipeline` makes an error with a stack for every stream that ends well.
  return new Promise((resolve, reject) => {
    raw.on('drain', () => body.resume());
    body.on('data', (chunk: Buffer) => {
      if (!raw.write(chunk)) body.pause();
    });
    body.once('end', () => raw.end());
    body.once('error', (error) => {
      raw.destroy();
      reject(error);
    });
    raw.once('close', () => {
      if (raw.writableFinished) return resolve();
      body.destroy();
      return reject(new Error('the caller hung up'));
    });
  });
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
