import { createToken, registerModel } from '@lachesis/store';
import { expect, test } from 'vitest';
import { createControlBench } from './bench.fixture.ts';

const common = { tenantId: 'local', name: 'support', baseModel: 'tiny', method: 'sft', run: 'r' } as const;

test('models are listed, shown, promoted and taken back over HTTP, within a tenant', async () => {
  const tokens: Record<string, string> = {};
  await using bench = await createControlBench({}, async (store) => {
    await registerModel({ ...common, store, step: 1, weightsPath: 'tinker://m/1' });
    await registerModel({ ...common, store, step: 2, weightsPath: 'tinker://m/2', parent: 'support@1' });
    for (const [name, tenantId] of Object.entries({ own: 'local', other: 'other' })) {
      tokens[name] = (await createToken({ store, tenantId, name, scopes: ['view', 'run:admin'] })).token;
    }
  });
  const call = (method: 'GET' | 'POST', url: string, body?: unknown, token = tokens['own']) =>
    bench.call(method, url, { ...(body === undefined ? {} : { body }), ...(token === undefined ? {} : { token }) });
  const change = { by: 'ada', reason: 'first' };
  expect((await call('POST', '/models/support%401/promote', change)).json).toMatchObject({
    version: 1,
    ordinal: 1,
    ...change,
  });
  expect((await call('POST', '/models/support/promote', { by: 'ada' })).json).toMatchObject({
    version: 2,
    reason: 'by hand',
  });
  expect((await call('GET', '/models')).json).toMatchObject({
    models: [
      { version: 2, is_promoted: true },
      { version: 1, is_promoted: false },
    ],
  });
  expect((await call('POST', '/models/support/rollback', change)).json).toMatchObject({
    kind: 'rolled-back',
    version: 1,
  });
  expect((await call('GET', '/models/support')).json).toMatchObject({
    model: { version: 2 },
    parent_name: 'support@1',
  });
  expect((await call('GET', '/lineage/model%3Asupport%401')).json).toMatchObject({ from: { kind: 'model' } });

  expect((await call('POST', '/models/support/promote', {})).json).toMatchObject({
    error: { code: 'invalid', issues: [{ field: 'by' }] },
  });
  expect((await call('GET', '/models?names=x')).json).toMatchObject({ error: { issues: [{ field: 'names' }] } });
  expect((await call('GET', '/lineage/modle%3Ax')).status).toBe(422);
  expect((await call('POST', '/models/nobody/rollback', change)).status).toBe(409);
  expect((await call('GET', '/improvements?model=support')).json).toEqual({ improvements: [] });
  // Another tenant has none of them, and changes none.
  expect((await call('GET', '/models', undefined, tokens['other'])).json).toEqual({ models: [] });
  expect((await call('GET', '/models/support', undefined, tokens['other'])).status).toBe(404);
  expect((await call('POST', '/models/support/promote', change, tokens['other'])).status).toBe(404);
});

test('who asks for replies has a line at once, while the engine is looked for, and no word of the database', async () => {
  await using bench = await createControlBench({}, undefined, {
    runs: { findEngineUrl: async () => 'http://127.0.0.1:1' },
  });
  const url = await bench.control.app.listen({ host: '127.0.0.1', port: 0 });
  const leaving = new AbortController();
  const response = await fetch(`${url}/models/sample`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, signal: leaving.signal },
    body: JSON.stringify({ prompts: [{ tokens: [1, 2] }] }),
  });
  const first = await response.body?.getReader().read();
  expect([response.status, Buffer.from(first?.value ?? []).toString()]).toEqual([
    200,
    '{"said":"asking the engine for 1 replies"}\n',
  ]);
  leaving.abort();
  const wrong = await bench.call('POST', '/models/sample', {
    body: { prompts: [{ tokens: [1, -2] }, { tokens: [] }, { tokens: null }] },
  });
  expect(wrong.json).toMatchObject({
    error: { issues: [0, 1, 2].map((place) => ({ field: `prompts.${place}.tokens` })) },
  });
});
