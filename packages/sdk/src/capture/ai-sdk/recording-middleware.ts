import { HEADERS, isRecord } from '@lachesis/protocol';
import { EMPTY_REPLY, type CallOutcome } from '../calls/collected-reply.ts';
import { asNumber, asObject } from '../calls/json-shapes.ts';
import { findRecorder, labelsOf, type RecordOptions } from '../recorder/default-recorder.ts';
import { toIdHeaders, type LachesisId } from '../recorder/lachesis-id.ts';
import { currentLabels, joinLabels } from '../recorder/trajectory-scope.ts';
import { createPartCollector } from './collect-parts.ts';
import { collectResult } from './collect-result.ts';
import type { CallParameters, GenerateResult, ModelFacts, StreamResult } from './shapes.ts';
import { toOfferedTools, toChatMessages } from './to-chat-messages.ts';

/** What a record takes. */
const MOST_ID_CHARACTERS = 200;

/** What `wrapLanguageModel` of the AI SDK takes. */
export interface RecordingMiddleware {
  readonly specificationVersion: 'v4';
  wrapGenerate<Result extends GenerateResult>(options: {
    doGenerate: () => PromiseLike<Result>;
    params: CallParameters;
    model: ModelFacts;
  }): Promise<Result>;
  wrapStream<Part, Result extends StreamResult<Part>>(options: {
    doStream: () => PromiseLike<Result & StreamResult<Part>>;
    params: CallParameters;
    model: ModelFacts;
  }): Promise<Result>;
}

/** Records the calls of an AI SDK model: `wrapLanguageModel({ model, middleware: recordingMiddleware() })`. */
export function recordingMiddleware(options: RecordOptions = {}): RecordingMiddleware {
  return {
    specificationVersion: 'v4',
    async wrapGenerate({ doGenerate, params, model }) {
      const call = openCall(options, params, model, false);
      try {
        const result = await doGenerate();
        // Recorded by our inference server, with the tokens; recording it here too would double it.
        if (isRecorded(result)) return result;
        call.end({ state: 'complete', reply: collectResult(result), error: null });
        return withIds(result, call.ids);
      } catch (error) {
        call.fail(error);
        throw error;
      }
    },
    async wrapStream({ doStream, params, model }) {
      const call = openCall(options, params, model, true);
      try {
        const result = await doStream();
        if (isRecorded(result)) return result;
        return withIds({ ...result, stream: recordParts(result.stream, call) }, call.ids);
      } catch (error) {
        call.fail(error);
        throw error;
      }
    },
  };
}

const isRecorded = ({ response }: Pick<GenerateResult, 'response'>): boolean =>
  response?.headers?.[HEADERS.recorded] !== undefined;

/** The AI SDK hands the headers of a response on: `lachesisIdOf` finds them there. */
function withIds<Result extends Pick<GenerateResult, 'response'>>(result: Result, ids: LachesisId | undefined): Result {
  if (ids === undefined) return result;
  const { response } = result;
  return { ...result, response: { ...response, headers: { ...response?.headers, ...toIdHeaders(ids) } } };
}

interface OpenCall {
  /** Undefined for one that is left out. */
  readonly ids: LachesisId | undefined;
  begun(): void;
  /** Counts once: what comes after the first end has no effect. */
  end(outcome: CallOutcome): void;
  fail(error: unknown): void;
}

function openCall(options: RecordOptions, params: CallParameters, model: ModelFacts, isStream: boolean): OpenCall {
  const recorder = findRecorder(options);
  const labels = joinLabels(labelsOf(options), currentLabels());
  const { prompt, tools, ...rest } = params;
  const ids = recorder.newIds?.(labels);
  const startedAt = Math.floor(recorder.now());
  let firstTokenAt: number | null = null;
  let isEnded = false;

  function end({ state, reply, error }: CallOutcome): void {
    if (isEnded) return;
    isEnded = true;
    recorder.record({
      ...labels,
      ...{ kind: 'call', source: 'ai-sdk', state, error, cost: null },
      ...(ids === undefined ? {} : { record_id: ids.turnId, trajectory_id: ids.trajectoryId }),
      ...(reply.responseId === undefined ? {} : { response_id: reply.responseId.slice(0, MOST_ID_CHARACTERS) }),
      model: reply.model ?? model.modelId,
      messages: toChatMessages(prompt),
      tools: toOfferedTools(tools),
      sampling: toSampling(rest),
      is_stream: isStream,
      replies: reply.choices.map(({ message, finishReason }) => ({
        message,
        finish_reason: finishReason,
        tokens: null,
        // Models of the AI SDK give text; a base URL at our inference server keeps tokens too.
        tokens_missing: state === 'complete' ? 'recorded-as-text' : 'interrupted',
      })),
      usage: reply.usage ?? null,
      upstream: model.provider,
      started_at: startedAt,
      first_token_at: firstTokenAt,
      ended_at: Math.floor(recorder.now()),
    });
  }

  return {
    ids,
    begun() {
      firstTokenAt ??= Math.floor(recorder.now());
    },
    end,
    fail(error) {
      const isCalledOff = error instanceof Error && error.name === 'AbortError';
      end({ state: isCalledOff ? 'interrupted' : 'failed', reply: EMPTY_REPLY, error: describeError(error) });
    },
  };
}

function describeError(error: unknown): NonNullable<CallOutcome['error']> {
  const message = error instanceof Error ? error.message : String(error);
  return { message, status: asNumber(asObject(error)['statusCode']) ?? null };
}

/** For a stream that ends without the part that says so; one that has it is on record by then. */
const ENDED_EARLY = new Error('the model ended the stream before the reply');

/** Passes the parts on. The record is on disk before the part that ends the reply is. */
function recordParts<Part>(stream: ReadableStream<Part>, call: OpenCall): ReadableStream<Part> {
  const parts = createPartCollector();
  const finish = (thrown?: unknown): void => {
    const { result, error, isFinished } = parts.collected();
    const told = error === undefined ? undefined : { message: error, status: null };
    call.end({
      state: isFinished ? 'complete' : 'interrupted',
      reply: collectResult(result),
      error: told ?? (thrown === undefined ? null : describeError(thrown)),
    });
  };
  const reader = stream.getReader();
  return new ReadableStream<Part>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            finish(ENDED_EARLY);
            controller.close();
            return;
          }
          parts.add(value);
          const type = asObject(value)['type'];
          if (type !== 'stream-start' && type !== 'response-metadata') call.begun();
          if (type === 'finish') finish();
          controller.enqueue(value);
        } catch (error) {
          finish(error);
          controller.error(error);
        }
      },
      async cancel(reason) {
        finish();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Everything else that was asked for, without what belongs to the process: signals and functions. */
function toSampling(rest: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(rest).filter(([, value]) => {
      if (value === undefined || typeof value === 'function' || value instanceof AbortSignal) return false;
      return !isRecord(value) || Object.keys(value).length > 0;
    }),
  );
}
