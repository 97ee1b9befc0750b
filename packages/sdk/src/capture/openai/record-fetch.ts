import { HEADERS, isRecord } from '@lachesis/protocol';
import type { CallEndpoint, CallOutcome } from '../calls/collected-reply.ts';
import { EMPTY_REPLY } from '../calls/collected-reply.ts';
import { createReplyCollector, type ReplyCollector } from '../calls/create-reply-collector.ts';
import { parseJson, type JsonFields } from '../calls/json-shapes.ts';
import { readCallRequest } from '../calls/read-call-request.ts';
import { toCallFacts } from '../calls/to-call-facts.ts';
import { findRecorder, labelsOf, type RecordOptions } from '../recorder/default-recorder.ts';
import type { Recorder } from '../recorder/create-recorder.ts';
import { noteReply, noteResponseId, readIdHeaders, toIdHeaders, type LachesisId } from '../recorder/lachesis-id.ts';
import type { RecordLabels } from '../recorder/record-draft.ts';
import { currentLabels, joinLabels } from '../recorder/trajectory-scope.ts';
import { noteGateway, sendLabels } from './send-labels.ts';

/**
 * Records the calls of models that go through a `fetch`. The caller gets what it would have got. A record is on disk before
 * the last byte of its reply is handed on.
 */
export function recordFetch(send: typeof fetch, options: RecordOptions & { source?: string } = {}): typeof fetch {
  const { source = 'openai' } = options;
  return async (input, init) => {
    const address = typeof input === 'string' || input instanceof URL ? String(input) : input.url;
    const asked = readCall(address, init?.method, init?.body);
    if (asked === undefined) return send(input, init);
    const recorder = findRecorder(options);
    const labels = joinLabels(labelsOf(options), currentLabels());
    const ids = recorder.newIds?.(labels);
    const call = openCall({ recorder, asked, labels, source, ids });
    let response: Response;
    try {
      response = await send(input, init === undefined ? init : sendLabels(address, init, labels));
    } catch (error) {
      // Called off by the caller, or it never got there; either way there is no reply.
      const state = init?.signal?.aborted === true ? 'interrupted' : 'failed';
      call.end({ state, reply: EMPTY_REPLY, error: { message: describe(error), status: null } });
      throw error;
    }
    const { status, headers } = response;
    const collector = createReplyCollector({
      endpoint: asked.endpoint,
      status,
      contentType: headers.get('content-type'),
    });
    const passing: PassingReply = { response, collector, call, ids };
    // Our inference server records the call itself; recording it here too would double it.
    if (headers.has(HEADERS.recorded)) {
      noteGateway(address);
      Object.assign(passing, { call: LEFT_OUT, ids: readIdHeaders(headers) });
    }
    if (passing.ids !== undefined) noteReply(init?.signal, passing.ids);
    return collector.isStream ? recordStream(passing) : recordWhole(passing);
  };
}

interface PassingReply {
  response: Response;
  collector: ReplyCollector;
  call: OpenCall;
  /** Undefined for one that nobody records. */
  ids: LachesisId | undefined;
}

/** Which calls are recorded: those whose path ends so. What else the client does passes by. */
const ENDINGS: readonly (readonly [ending: string, endpoint: CallEndpoint])[] = [
  ['/chat/completions', 'chat'],
  ['/completions', 'completions'],
  ['/responses', 'responses'],
];

interface AskedCall {
  endpoint: CallEndpoint;
  body: JsonFields;
  /** The host that is asked. */
  upstream: string;
}

/** Undefined for what is no call of a model. */
function readCall(address: string, method: string | undefined, body: unknown): AskedCall | undefined {
  if (method?.toUpperCase() !== 'POST' || typeof body !== 'string' || !URL.canParse(address)) return undefined;
  const { pathname, host } = new URL(address);
  const endpoint = ENDINGS.find(([ending]) => pathname.endsWith(ending))?.[1];
  const request = endpoint === undefined ? undefined : parseJson(body);
  return endpoint === undefined || !isRecord(request) ? undefined : { endpoint, body: request, upstream: host };
}

interface OpenCall {
  begun(): void;
  /** Counts once: what comes after the first end has no effect. */
  end(outcome: CallOutcome): void;
}

/** Somebody else records it. */
const LEFT_OUT: OpenCall = { begun: () => undefined, end: () => undefined };

function openCall(options: {
  recorder: Recorder;
  asked: AskedCall;
  labels: RecordLabels;
  source: string;
  ids: LachesisId | undefined;
}): OpenCall {
  const { recorder, asked, labels, source, ids } = options;
  const startedAt = Math.floor(recorder.now());
  let firstTokenAt: number | null = null;
  let isEnded = false;
  return {
    begun() {
      firstTokenAt ??= Math.floor(recorder.now());
    },
    end(outcome) {
      if (isEnded) return;
      isEnded = true;
      const request = readCallRequest(asked.endpoint, asked.body);
      for (const place of request.conversations.keys()) {
        const { metadata, ...facts } = toCallFacts(request, outcome, place);
        recorder.record({
          ...labels,
          ...{ kind: 'call', source, ...facts, upstream: asked.upstream },
          ...(place === 0 && ids !== undefined ? { record_id: ids.turnId, trajectory_id: ids.trajectoryId } : {}),
          user: labels.user ?? request.user,
          metadata: metadata === null ? labels.metadata : { ...metadata, ...labels.metadata },
          cost: place === 0 ? (outcome.reply.cost ?? null) : null,
          started_at: startedAt,
          first_token_at: firstTokenAt,
          ended_at: Math.floor(recorder.now()),
        });
      }
    },
  };
}

async function recordWhole({ response, collector, call, ids }: PassingReply): Promise<Response> {
  let body: ArrayBuffer;
  try {
    body = await response.arrayBuffer();
  } catch (error) {
    call.end(collector.breakOff({ message: describe(error), status: response.status }));
    throw error;
  }
  collector.add(new Uint8Array(body));
  const outcome = collector.end();
  call.end(outcome);
  noteIds(outcome.reply.responseId, ids);
  return copyOf(response, body, ids);
}

function noteIds(responseId: string | undefined, ids: LachesisId | undefined): void {
  if (responseId !== undefined && ids !== undefined) noteResponseId(responseId, ids);
}

function recordStream({ response, collector, call, ids }: PassingReply): Response {
  const reader = response.body?.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const piece = await reader?.read();
          if (piece === undefined || piece.done) {
            call.end(collector.end());
            controller.close();
            return;
          }
          call.begun();
          collector.add(piece.value);
          noteIds(collector.responseId, ids);
          // Before the piece with the last word is handed on: the caller may end this process when it has it.
          if (collector.isDone) call.end(collector.end());
          controller.enqueue(piece.value);
        } catch (error) {
          call.end(collector.breakOff({ message: describe(error), status: response.status }));
          controller.error(error);
        }
      },
      async cancel(reason) {
        call.end(collector.breakOff());
        await reader?.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return copyOf(response, body, ids);
}

/** The same reply with another body, and with its ids; the address is lost in the constructor and put back. */
function copyOf(
  response: Response,
  body: ArrayBuffer | ReadableStream<Uint8Array>,
  ids: LachesisId | undefined,
): Response {
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(ids === undefined ? {} : toIdHeaders(ids))) headers.set(name, value);
  // These statuses may not have a body at all.
  const copy = new Response(status === 204 || status === 205 || status === 304 ? null : body, {
    status,
    statusText,
    headers,
  });
  Object.defineProperty(copy, 'url', { value: response.url });
  if (ids === undefined) return copy;
  // Clients hand on what they read with it, and keep no way back to the reply.
  const json = async (): Promise<unknown> => {
    const value: unknown = await Response.prototype.json.call(copy);
    noteReply(value, ids);
    return value;
  };
  return Object.defineProperty(copy, 'json', { value: json });
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}
