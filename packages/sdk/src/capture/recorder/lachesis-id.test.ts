import { HEADERS } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { recordFetch } from '../openai/record-fetch.ts';
import { recordingMiddleware } from '../ai-sdk/recording-middleware.ts';
import type { Recorder } from './create-recorder.ts';
import { lachesisIdOf } from './lachesis-id.ts';
import type { CallDraft, RecordDraft } from './record-draft.ts';
import { inTrajectory } from './trajectory-scope.ts';

function fakeRecorder(): Recorder & { drafts: CallDraft[] } {
  const drafts: CallDraft[] = [];
  let last = 0;
  return {
    ...{ name: 'test', now: () => 5, flush: async () => {}, close: async () => {}, drafts },
    record: (draft: RecordDraft) => (drafts.push(draft as CallDraft), 'id'),
    newIds: ({ consent } = {}) =>
      consent === 'none' ? undefined : { trajectoryId: `t-${(last += 1)}`, turnId: `u-${last}` },
  };
}

type Reply = { body: string; type?: string; headers?: Record<string, string> };
const completion = (id: string) => JSON.stringify({ id, model: 'm', choices: [{ message: { content: 'hi' } }] });
const streamed = (id: string) =>
  `data: ${JSON.stringify({ id, choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;

/** A recorded fetch before a server that gives these replies, and what it was sent. */
function serve(replies: Reply[], options: object = {}) {
  const recorder = fakeRecorder();
  const asked: Headers[] = [];
  const send = async (_: unknown, init?: RequestInit) => {
    asked.push(new Headers(init?.headers));
    const { body, type = 'application/json', headers } = replies.shift()!;
    return new Response(body, { headers: { 'content-type': type, ...headers } });
  };
  const call = recordFetch(send, { recorder, ...options });
  const ask = (url = 'https://api.example.com/v1', init: RequestInit = {}) =>
    call(`${url}/chat/completions`, {
      ...{ method: 'POST', body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'q' }] }) },
      ...init,
    });
  return { recorder, asked, ask };
}

test('a whole reply has the ids of its record, as the object that a client read and as the response', async () => {
  const { recorder, ask } = serve([{ body: completion('chatcmpl-a') }]);
  const response = await ask();
  const ids = { trajectoryId: 't-1', turnId: 'u-1' };
  expect(lachesisIdOf(response)).toEqual(ids);
  const reply: unknown = await response.json();
  expect(lachesisIdOf(reply)).toEqual(ids);
  expect(JSON.stringify(reply)).toBe(completion('chatcmpl-a'));
  // As a helper of the client hands it on: another object with the same id.
  expect(lachesisIdOf({ ...(reply as object) })).toEqual(ids);
  expect(recorder.drafts[0]).toMatchObject({ record_id: 'u-1', trajectory_id: 't-1', response_id: 'chatcmpl-a' });
});

test('a streamed reply has them by its stream and by each of its pieces', async () => {
  const { recorder, ask } = serve([{ body: streamed('chatcmpl-b'), type: 'text/event-stream' }]);
  const controller = new AbortController();
  const response = await ask(undefined, { signal: controller.signal });
  const ids = { trajectoryId: 't-1', turnId: 'u-1' };
  expect(lachesisIdOf({ controller })).toEqual(ids);
  await response.text();
  expect(lachesisIdOf({ id: 'chatcmpl-b', choices: [] })).toEqual(ids);
  expect(recorder.drafts[0]).toMatchObject({ record_id: 'u-1', response_id: 'chatcmpl-b' });
});

test('an id that a server gives twice names neither; the replies themselves are told apart', async () => {
  const { ask } = serve([{ body: completion('chatcmpl-same') }, { body: completion('chatcmpl-same') }]);
  const [first, second] = [await (await ask()).json(), await (await ask()).json()] as [unknown, unknown];
  expect([lachesisIdOf(first)?.turnId, lachesisIdOf(second)?.turnId]).toEqual(['u-1', 'u-2']);
  expect(lachesisIdOf({ id: 'chatcmpl-same' })).toBeNull();
});

test('what is not recorded has none', async () => {
  const { ask, recorder } = serve([{ body: completion('chatcmpl-c') }], { consent: 'none' });
  expect(lachesisIdOf(await (await ask()).json())).toBeNull();
  expect([lachesisIdOf(null), lachesisIdOf('x'), lachesisIdOf({ id: 'unknown' })]).toEqual([null, null, null]);
  expect(recorder.drafts).toHaveLength(1);
});

const byGateway = {
  [HEADERS.recorded]: 'true',
  [HEADERS.trajectoryId]: 'gateway-t',
  [HEADERS.turnId]: 'gateway-u',
};

test('behind a gateway the labels reach it, it records alone, and the ids are its own', async () => {
  const { recorder, asked, ask } = serve([{ body: completion('chatcmpl-d'), headers: byGateway }], {
    tags: ['a', 'b'],
  });
  const labels = { trajectory: 'chat-7', user: 'ada', metadata: { city: 'Zürich' } };
  const reply: unknown = await inTrajectory(labels, async () => (await ask('http://127.0.0.1:8001/v1')).json());
  expect(recorder.drafts).toEqual([]);
  expect(lachesisIdOf(reply)).toEqual({ trajectoryId: 'gateway-t', turnId: 'gateway-u' });
  const [headers] = asked;
  expect([headers!.get(HEADERS.trajectory), headers!.get(HEADERS.user), headers!.get(HEADERS.tags)]).toEqual([
    'chat-7',
    'ada',
    'a,b',
  ]);
  expect(JSON.parse(headers!.get(HEADERS.metadata)!)).toEqual({ city: 'Zürich' });
});

test('a provider is not told who asked; a server that takes our tokens is', async () => {
  const replies = [1, 2, 3].map((n) => ({ body: completion(`chatcmpl-e${n}`) }));
  const { asked, ask } = serve(replies, { trajectory: 'chat-7' });
  await ask('https://api.openai.com/v1', { headers: { authorization: 'Bearer sk-1' } });
  await ask('https://ours.example.com/v1', { headers: { authorization: 'Bearer lch_1' } });
  await ask('http://localhost:8001/v1', { headers: { [HEADERS.trajectory]: 'own' } });
  expect(asked.map((headers) => headers.get(HEADERS.trajectory))).toEqual([null, 'chat-7', 'own']);
});

test('a label that no header can hold is kept by recording here and not there', async () => {
  const { asked, ask, recorder } = serve([{ body: completion('chatcmpl-f') }], { trajectory: 'grüße-😀' });
  await ask('http://localhost:8001/v1');
  expect([...asked[0]!.keys()].filter((name) => name.startsWith('x-lachesis'))).toEqual([HEADERS.consent]);
  expect(asked[0]!.get(HEADERS.consent)).toBe('none');
  expect(recorder.drafts[0]).toMatchObject({ trajectory: 'grüße-😀' });
});

test('results of the AI SDK have them in the headers of their response, whole and streamed', async () => {
  const recorder = fakeRecorder();
  const { wrapGenerate, wrapStream } = recordingMiddleware({ recorder });
  const model = { provider: 'any.chat', modelId: 'm' };
  const params = { prompt: [] };
  const usage = {};
  const whole = await wrapGenerate({
    doGenerate: async () => ({ content: [], finishReason: 'stop', usage, response: { id: 'resp-1' } }),
    ...{ params, model },
  });
  expect(lachesisIdOf(whole)).toEqual({ trajectoryId: 't-1', turnId: 'u-1' });
  expect(recorder.drafts[0]).toMatchObject({ record_id: 'u-1', response_id: 'resp-1' });
  const stream = new ReadableStream<unknown>({ start: (controller) => controller.close() });
  const parts = await wrapStream({ doStream: async () => ({ stream }), params, model });
  expect(lachesisIdOf(parts)).toEqual({ trajectoryId: 't-2', turnId: 'u-2' });
  const there = { content: [], finishReason: 'stop', usage, response: { headers: byGateway } };
  const recorded = recorder.drafts.length;
  expect(lachesisIdOf(await wrapGenerate({ doGenerate: async () => there, params, model }))?.turnId).toBe('gateway-u');
  expect(recorder.drafts).toHaveLength(recorded);
});
