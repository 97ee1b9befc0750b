import { createIdSource, createRedactor, type CallRecord } from '@lachesis/protocol';
import { recordingMiddleware, recordOpenAI, type Recorder } from '@lachesis/sdk/capture';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText, wrapLanguageModel } from 'ai';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import OpenAI from 'openai';

import { createCallRecorder } from '../../../packages/server/src/inference/recording/create-call-recorder.ts';
import { createLog } from '../../../packages/server/src/http/logs/create-log.ts';
import { readInferenceSettings } from '../../../packages/server/src/http/settings/inference-settings.ts';
import { buildInference } from '../../../packages/server/src/inference/build.ts';
import type { RecordedCall } from './facts.ts';
import type { ReplyCase } from './make-replies.ts';

const LONGEST_WAIT_MS = 5_000;

/** What one of the three has on record for a case, and what its caller got. */
export interface Recorded {
  readonly records: readonly RecordedCall[];
  /** What OpenAI's client put together; undefined where it refused the reply, or where another client asked. */
  readonly assembled?: OpenAI.ChatCompletion | undefined;
  readonly refused: string | undefined;
}

export interface ThreeWays extends AsyncDisposable {
  gateway(one: ReplyCase): Promise<Recorded>;
  wrapper(one: ReplyCase): Promise<Recorded>;
  middleware(one: ReplyCase): Promise<Recorded>;
}

/** The gateway on a socket of its own, OpenAI's client and the AI SDK, all before the same upstream. */
export async function openThreeWays({ upstreamUrl, home }: { upstreamUrl: string; home: string }): Promise<ThreeWays> {
  // It warns of every field that a completion does not have.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  const passed = new Map<string, CallRecord[]>();
  const { values: settings } = readInferenceSettings({ home, upstreamUrl, logLevel: 'silent' }, {});
  const { app, close } = await buildInference({
    settings,
    log: createLog({ name: 'replies', level: 'silent' }),
    replace: {
      recorder: () =>
        createCallRecorder({
          ...{ recorder: 'replies', consent: 'train', capturesRollouts: false, prices: {}, ids: createIdSource() },
          append: (_tenant, record) => {
            const { asked_model: other } = record.metadata ?? {};
            const asked = typeof other === 'string' ? other : record.model;
            passed.set(asked, [...(passed.get(asked) ?? []), record]);
          },
          redactor: createRedactor({ secrets: [] }),
          findTrajectory: () => undefined,
          now: Date.now,
          onLost: (error) => {
            throw error;
          },
        }),
    },
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const direct = { apiKey: 'k', maxRetries: 0 };
  return {
    async gateway(one) {
      const answer = await ask(new OpenAI({ ...direct, baseURL: `http://127.0.0.1:${port}/v1` }), one);
      // A client that leaves in the middle is noticed when its socket closes.
      for (let waited = 0; !passed.has(one.name) && waited < LONGEST_WAIT_MS; waited += 5) await setTimeout(5);
      return { ...answer, records: passed.get(one.name) ?? [] };
    },
    async wrapper(one) {
      const recorder = memoryRecorder();
      const client = recordOpenAI(new OpenAI({ ...direct, baseURL: upstreamUrl }), { recorder });
      return { ...(await ask(client, one)), records: recorder.records };
    },
    async middleware(one) {
      const recorder = memoryRecorder();
      const provider = createOpenAICompatible({ name: 'any', baseURL: upstreamUrl, includeUsage: true });
      const base = one.endpoint === 'chat' ? provider.chatModel(one.name) : provider.completionModel(one.name);
      const model = wrapLanguageModel({ model: base, middleware: recordingMiddleware({ recorder }) });
      let refused: string | undefined;
      const note = (error: unknown): void => void (refused ??= String(error));
      try {
        const prompt = { model, prompt: 'go on', maxRetries: 0 };
        if (one.isStream) await streamText({ ...prompt, onError: ({ error }) => note(error) }).consumeStream();
        else await generateText(prompt);
      } catch (error) {
        note(error);
      }
      return { records: recorder.records, refused };
    },
    [Symbol.asyncDispose]: close,
  };
}

async function ask(client: OpenAI, one: ReplyCase): Promise<Omit<Recorded, 'records'>> {
  const { name: model, isStream } = one;
  try {
    if (one.endpoint === 'completions') {
      const call = { model, prompt: 'go on' };
      if (!isStream) await client.completions.create(call);
      else for await (const _chunk of await client.completions.create({ ...call, stream: true }));
      return { refused: undefined };
    }
    const call = { model, messages: [{ role: 'user' as const, content: 'go on' }] };
    if (!isStream) return { assembled: await client.chat.completions.create(call), refused: undefined };
    if (one.isAssembled) {
      return { assembled: await client.chat.completions.stream(call).finalChatCompletion(), refused: undefined };
    }
    // It would leave at the first piece that it cannot place; read piece by piece, it takes them as they are.
    for await (const _chunk of await client.chat.completions.create({ ...call, stream: true }));
    return { refused: undefined };
  } catch (error) {
    return { refused: String(error) };
  }
}

function memoryRecorder(): Recorder & { records: RecordedCall[] } {
  const records: RecordedCall[] = [];
  return {
    ...{ name: 'memory', now: Date.now, records, flush: async () => {}, close: async () => {} },
    record(draft) {
      if (draft.kind === 'call') records.push(draft);
      return '';
    },
  };
}
