import { RECORDED_HEADER, type CallRecord } from '@lachesis/protocol';
import { findRecorder, labelsOf, type RecordOptions } from '../recorder/default-recorder.ts';
import type { Recorder } from '../recorder/create-recorder.ts';
import type { RecordLabels } from '../recorder/record-draft.ts';
import { currentLabels, joinLabels } from '../recorder/trajectory-scope.ts';
import { createChatEar, hearWhole } from './hear-chat.ts';
import { hearResponse } from './hear-responses.ts';
import { toReply, type HeardReply } from './heard-reply.ts';
import { asObject, asText, parseJson } from './json-shapes.ts';
import { readCall, type AskedCall } from './read-call.ts';
import { createEventReader } from './read-events.ts';

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
      call.end(init?.signal?.aborted === true ? 'interrupted' : 'failed', undefined, {
        message: describe(error),
        status: null,
      });
      throw error;
    }
    // Our inference server records the call itself; recording it here too would double it.
    if (response.headers.has(RECORDED_HEADER)) return response;
    const isEvents = response.headers.get('content-type')?.includes('text/event-stream') === true;
    return isEvents && response.ok ? recordStream(response, asked, call) : recordWhole(response, asked, call);
  };
}

interface OpenCall {
  begun(): void;
  /** Counts once: what comes after the first end has no effect. */
  end(state: CallRecord['state'], heard: HeardReply | undefined, error?: CallRecord['error']): void;
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
    end(state, heard, error = null) {
      if (isEnded) return;
      isEnded = true;
      const { model, messages, tools, sampling, upstream, isStream } = asked;
      recorder.record({
        ...labels,
        ...{ kind: 'call', source, state, messages, tools, sampling, upstream, error },
        model: heard?.model ?? model,
        is_stream: isStream,
        replies: (heard?.choices ?? []).map((choice) =>
          toReply(choice, heard?.policyVersion ?? null, state === 'complete'),
        ),
        usage: heard?.usage ?? null,
        cost: heard?.cost ?? null,
        started_at: startedAt,
        first_token_at: firstTokenAt,
        ended_at: Math.floor(recorder.now()),
      });
    },
  };
}

async function recordWhole(response: Response, { door }: AskedCall, call: OpenCall): Promise<Response> {
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    call.end('interrupted', undefined, { message: describe(error), status: response.status });
    throw error;
  }
  const body = parseJson(text);
  if (!response.ok) {
    const reason = asText(asObject(asObject(body)['error'])['message']) ?? text.slice(0, 2_000);
    call.end('failed', undefined, { message: reason, status: response.status });
  } else {
    call.end('complete', door === 'responses' ? hearResponse(body) : hearWhole(body));
  }
  return copyOf(response, text);
}

function recordStream(response: Response, { door }: AskedCall, call: OpenCall): Response {
  const ear = createChatEar();
  let whole: HeardReply | undefined;
  let failure: string | undefined;
  const events = createEventReader((data, name) => {
    call.begun();
    if (door !== 'responses') return ear.hear(data);
    const { response: inner } = asObject(data);
    // Cut short by a limit is whole too: nothing more will come.
    if (name === 'response.completed' || name === 'response.incomplete') whole = hearResponse(inner);
    if (name === 'response.failed' || name === 'error') failure = 'the response failed';
  });
  const finish = (state: CallRecord['state'], message?: string): void => {
    const heard = door === 'responses' ? whole : ear.heard();
    const reason = message ?? failure ?? heard?.error;
    const error = reason === undefined ? null : { message: reason, status: response.status };
    call.end(state === 'complete' && reason !== undefined ? 'interrupted' : state, heard, error);
  };
  const reader = response.body?.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const piece = await reader?.read();
          if (piece === undefined || piece.done) {
            // Without its last word a stream broke off, however friendly its end was.
            finish(isSaidWhole() ? 'complete' : 'interrupted');
            controller.close();
            return;
          }
          // Before the piece with the last word is handed on: the caller may end this process when it has it.
          if (events.read(piece.value)) finish('complete');
          controller.enqueue(piece.value);
        } catch (error) {
          finish('interrupted', describe(error));
          controller.error(error);
        }
      },
      async cancel(reason) {
        finish('interrupted');
        await reader?.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const isSaidWhole = (): boolean =>
    door === 'responses' ? whole !== undefined : ear.heard().choices.every(({ finishReason }) => finishReason !== null);
  return copyOf(response, body);
}

/** The same reply with another body; the address is lost in the constructor and put back. */
function copyOf(response: Response, body: string | ReadableStream<Uint8Array>): Response {
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
