import { createIdSource, createRedactor, type CallRecord } from '@lachesis/protocol';
import { findModel, findPromoted, promoteModel, registerModel } from '@lachesis/store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCallRecorder } from './recording/create-call-recorder.ts';
import { createScriptedSource, IM_END, sampled } from './scripted-source.fixture.ts';
import { createInferenceKit, type InferenceKit } from './bench.fixture.ts';

let kit: InferenceKit;
beforeAll(async () => void (kit = await createInferenceKit()));
afterAll(() => kit[Symbol.asyncDispose]());

const HELLO = { messages: [{ role: 'user', content: 'hi' }] };

it('a server that follows a name serves what is promoted, names it in replies and records, and takes no publication', async () => {
  const scope = { store: kit.store, tenantId: 'local', name: 'support' };
  const records: CallRecord[] = [];
  const recorder = createCallRecorder({
    recorder: 'gateway-1',
    append: (_tenantId, record) => void records.push(record),
    redactor: createRedactor(),
    findTrajectory: () => undefined,
    prices: {},
    consent: 'keep',
    capturesRollouts: false,
    ids: createIdSource(),
    now: Date.now,
    onLost: (error) => {
      throw error;
    },
  });
  const source = createScriptedSource(() => ({ sequences: [sampled('ok', [IM_END])] }));
  const nameOf = async (ref: string) => {
    const found = await findModel({ ...scope, ref });
    return found === undefined ? undefined : `${found.name}@${found.version}`;
  };
  const promoted = { name: 'support', read: () => findPromoted(scope), nameOf };
  await using bench = await kit.bench({ source, promoted }, {}, recorder);
  const ask = async () => (await bench.call('POST', '/v1/chat/completions', HELLO)).json() as unknown;
  expect(await ask()).not.toHaveProperty('model_version_id');

  const model = await registerModel({
    ...scope,
    baseModel: 'tiny',
    method: 'dpo',
    weightsPath: 'tinker://m/1',
    step: 4,
  });
  await promoteModel({ ...scope, version: 1, reason: 'better', by: 'ada' });
  await expect.poll(ask, { timeout: 5_000 }).toMatchObject({ model_version_id: model.modelVersionId });
  expect(await ask()).toMatchObject({ model: 'support' });
  const streamed = await bench.call('POST', '/v1/chat/completions', { ...HELLO, stream: true });
  expect(streamed.text).toContain(`"model_version_id":"${model.modelVersionId}"`);
  const completed = await bench.call('POST', '/v1/completions', { prompt: 'hi' });
  expect(completed.json()).toMatchObject({ model_version_id: model.modelVersionId });
  expect(records[0]?.metadata).toBeNull();
  expect(records.at(-1)?.metadata).toMatchObject({ model_version_id: model.modelVersionId });

  const listed = (await bench.call('GET', '/v1/models')).json() as unknown as { data: { id: string }[] };
  expect(listed.data.map(({ id }) => id)).toEqual(['support', 'support@1']);
  const askFor = async (name: string) => {
    const { status, json } = await bench.call('POST', '/v1/chat/completions', { ...HELLO, model: name });
    return { status, body: json() as { error?: { code: string; message: string } } };
  };
  expect([(await askFor('support')).status, (await askFor('support@1')).status]).toEqual([200, 200]);
  for (const other of ['support@2', 'talker@1', 'gpt-5-mini']) {
    const { status, body } = await askFor(other);
    expect([status, body.error?.code, body.error?.message]).toEqual([
      404,
      'model_not_found',
      `the model "${other}" is not served here; support and support@1 are`,
    ]);
  }
  expect((await bench.call('POST', '/v1/completions', { prompt: 'hi', model: 'support@2' })).status).toBe(404);

  const refused = await bench.call('POST', '/v1/policy', { model_path: 'tinker://m/2', policy_version: 9, step: 9 });
  expect([refused.status, refused.json().error.message]).toEqual([409, expect.stringContaining('support')]);
  const policy = await bench.call('GET', '/v1/policy');
  expect(policy.json()).toMatchObject({ active: { model_path: 'tinker://m/1', step: 4 } });
});
