import type { CallRecord } from '@lachesis/protocol';
import { asNumber, asObject, isObject } from '../openai/json-shapes.ts';
import { findRecorder, labelsOf, type RecordOptions } from '../recorder/default-recorder.ts';
import { currentLabels, joinLabels } from '../recorder/trajectory-scope.ts';
import { createModelEar, type HeardModel } from './create-model-ear.ts';
import { readFinishReason, readModelUsage } from './read-result.ts';
import type { CallParameters, GenerateResult, ModelFacts, StreamResult } from './shapes.ts';
import { toAssistantMessage, toOfferedTools, toRecordedMessages } from './to-recorded-messages.ts';

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
        call.end('complete', {
          message: toAssistantMessage(result.content.map(asObject)),
          finishReason: readFinishReason(result.finishReason),
          usage: readModelUsage(result.usage),
          modelId: result.response?.modelId,
          ...{ error: undefined, isWhole: true },
        });
        return result;
      } catch (error) {
        call.fail(error);
        throw error;
      }
    },
    async wrapStream({ doStream, params, model }) {
      const call = openCall(options, params, model, true);
      try {
        const result = await doStream();
        return { ...result, stream: recordParts(result.stream, call) };
      } catch (error) {
        call.fail(error);
        throw error;
      }
    },
  };
}

interface OpenCall {
  begun(): void;
  end(state: CallRecord['state'], heard: HeardModel): void;
  fail(error: unknown): void;
}

function openCall(options: RecordOptions, params: CallParameters, model: ModelFacts, isStream: boolean): OpenCall {
  const recorder = findRecorder(options);
  const labels = joinLabels(labelsOf(options), currentLabels());
  const { prompt, tools, ...rest } = params;
  const startedAt = Math.floor(recorder.now());
  let firstTokenAt: number | null = null;
  let isEnded = false;

  function write(state: CallRecord['state'], heard: HeardModel | undefined, error: CallRecord['error']): void {
    if (isEnded) return;
    isEnded = true;
    const reply = heard && {
      message: heard.message,
      finish_reason: heard.finishReason,
      tokens: null,
      // Models of the AI SDK give text; a base URL at our inference server keeps tokens too.
      tokens_missing: state === 'complete' ? ('recorded-as-text' as const) : ('interrupted' as const),
    };
    recorder.record({
      ...labels,
      ...{ kind: 'call', source: 'ai-sdk', state, error, cost: null },
      model: heard?.modelId ?? model.modelId,
      messages: toRecordedMessages(prompt),
      tools: toOfferedTools(tools),
      sampling: toSampling(rest),
      is_stream: isStream,
      replies: reply === undefined ? [] : [reply],
      usage: heard?.usage ?? null,
      upstream: model.provider,
      started_at: startedAt,
      first_token_at: firstTokenAt,
      ended_at: Math.floor(recorder.now()),
    });
  }

  return {
    begun() {
      firstTokenAt ??= Math.floor(recorder.now());
    },
    end: (state, heard) =>
      write(state, heard, heard.error === undefined ? null : { message: heard.error, status: null }),
    fail(error) {
      const message = error instanceof Error ? error.message : String(error);
      const isCalledOff = error instanceof Error && error.name === 'AbortError';
      write(isCalledOff ? 'interrupted' : 'failed', undefined, {
        message,
        status: asNumber(asObject(error)['statusCode']) ?? null,
      });
    },
  };
}

/** Passes the parts on. The record is on disk before the part that ends the reply is. */
function recordParts<Part>(stream: ReadableStream<Part>, call: OpenCall): ReadableStream<Part> {
  const ear = createModelEar();
  const finish = (): void => {
    const heard = ear.heard();
    call.end(heard.isWhole ? 'complete' : 'interrupted', heard);
  };
  const reader = stream.getReader();
  return new ReadableStream<Part>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            finish();
            controller.close();
            return;
          }
          ear.hear(value);
          const type = asObject(value)['type'];
          if (type !== 'stream-start' && type !== 'response-metadata') call.begun();
          if (type === 'finish') finish();
          controller.enqueue(value);
        } catch (error) {
          finish();
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
      return !isObject(value) || Object.keys(value).length > 0;
    }),
  );
}
