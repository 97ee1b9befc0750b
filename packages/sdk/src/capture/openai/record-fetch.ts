import { HEADERS, isRecord } from '@lachesis/protocol';
import type { CallEndpoint, CallOutcome } from '../calls/collected-reply.ts';
import { EMPTY_REPLY } from '../calls/collected-reply.ts';
import { createReplyCollector, type ReplyCollector } from '../calls/create-reply-collector.ts';
import { parseJson, type JsonFields } from '../calls/json-shapes.ts';
import { readCallRequest } from '../calls/read-call-request.ts';
import { toCallFacts } from '../calls/to-call-facts.ts';
import { findRecorder, labelsOf, type RecordOptions } from '../recorder/default-recorder.ts';
import type { Recorder } from '../recorder/create-recorder.ts';
import type { RecordLabels } from '../recorder/record-draft.ts';
import { currentLabels, joinLabels } from '../recorder/trajectory-scope.ts';

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
    const call = openCall({ recorder, asked, labels, source });
    let response: Response;
    try {
      response = await send(input, init);
    } catch (error) {
      // Called off by the caller, or it never got there; either way there is no reply.
      const state = init?.signal?.aborted === true ? 'interrupted' : 'failed';
      call.end({ state, reply: EMPTY_REPLY, error: { message: describe(error), status: null } });
      throw error;
    }
    // Our inference server records the call itself; recording it here too would double it.
    if (response.headers.has(HEADERS.recorded)) return response;
    const collector = createReplyCollector({
      endpoint: asked.endpoint,
      status: response.status,
      contentType: response.headers.get('content-type'),
    });
    return collector.isStream ? recordStream(response, collector, call) : recordWhole(response, collector, call);
  };
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

function openCall(options: { recorder: Recorder; asked: AskedCall; labels: RecordLabels; source: string }): OpenCall {
  const { recorder, asked, labels, source } = options;
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

async function recordWhole(response: Response, collector: ReplyCollector, call: OpenCall): Promise<Response> {
  let body: ArrayBuffer;
  try {
    body = await response.arrayBuffer();
  } catch (error) {
    call.end(collector.breakOff({ message: describe(error), status: response.status }));
    throw error;
  }
  collector.add(new Uint8Array(body));
  call.end(collector.end());
  return copyOf(response, body);
}

function recordStream(response: Response, collector: ReplyCollector, call: OpenCall): Response {
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
  return copyOf(response, body);
}

/** The same reply with another body; the address is lost in the constructor and put back. */
function copyOf(response: Response, body: ArrayBuffer | ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers } = response;
  // These statuses may not have a body at all.
  const copy = new Response(status === 204 || status === 205 || status === 304 ? null : body, {
    status,
    statusText,
    headers,
  });
  Object.defineProperty(copy, 'url', { value: response.url });
  return copy;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}
