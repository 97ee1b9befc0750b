import type { sessionSchemas } from '@lachesis/protocol';
import { createToken, revokeToken } from '@lachesis/store';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { createControlBench, makeToken, type ControlBench } from './bench.fixture.ts';

type Opened = z.infer<(typeof sessionSchemas)['opened']>;

const makeCode = async ({ call }: ControlBench, token: string): Promise<string> =>
  ((await call('POST', '/v1/session/code', { token })).json as { code: string }).code;
const open = ({ call }: ControlBench, code: string) => call('POST', '/v1/session', { token: code });

test('a page may do what the maker of its code may, and no more', async () => {
  await using bench = await createControlBench();
  const rater = await makeToken(bench.store, 'a', ['view', 'feedback:write']);
  const opened = await open(bench, await makeCode(bench, rater));
  expect(opened.status).toBe(200);
  const { token, scopes, expires_at: expiresAt } = opened.json as Opened;
  expect([scopes, expiresAt > Date.now() + 50 * 60_000]).toEqual([['view', 'feedback:write'], true]);
  expect((await bench.call('GET', '/v1/session', { token })).json).toMatchObject({ tenant: 'a', scopes });
  expect((await bench.call('GET', '/runs', { token })).status).toBe(200);
  expect((await bench.call('POST', '/runs', { token, body: {} })).status).toBe(403);
  expect((await bench.call('POST', '/models/a/promote', { token, body: {} })).status).toBe(403);
  const runner = await makeToken(bench.store, 'a', ['run:admin']);
  const { token: wider } = (await open(bench, await makeCode(bench, runner))).json as Opened;
  expect((await bench.call('POST', '/runs/nobody/stop', { token: wider })).status).toBe(404);
});

test('a code that was used, has expired or was made up opens nothing', async () => {
  await using bench = await createControlBench();
  const token = await makeToken(bench.store, 'a', ['view']);
  const [used, expired] = [await makeCode(bench, token), await makeCode(bench, token)];
  const both = await Promise.all([open(bench, used), open(bench, used)]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
  await bench.store.db.updateTable('tokens').set({ expires_at: 1 }).where('kind', '=', 'session-code').execute();
  for (const code of [used, expired, 'x'.repeat(22), token, '../..']) {
    expect(await open(bench, code)).toMatchObject({ status: 401, json: { error: { code: 'unauthorized' } } });
  }
  expect((await bench.call('GET', '/runs', { token: used })).status).toBe(401);
});

test('a session ends with the token of its maker, and with its time', async () => {
  await using bench = await createControlBench();
  const maker = await createToken({ store: bench.store, tenantId: 'a', name: 'ada', scopes: ['view'] });
  const [first, second] = [
    (await open(bench, await makeCode(bench, maker.token))).json as Opened,
    (await open(bench, await makeCode(bench, maker.token))).json as Opened,
  ];
  await bench.store.db
    .updateTable('tokens')
    .set({ expires_at: 1 })
    .where('token_id', '=', first.token.split('_')[1] ?? '')
    .execute();
  expect((await bench.call('GET', '/runs', { token: first.token })).status).toBe(401);
  // What a page hands on is of its maker, too.
  const third = (await open(bench, await makeCode(bench, second.token))).json as Opened;
  await revokeToken({ store: bench.store, tenantId: 'a', tokenId: maker.tokenId });
  for (const { token } of [second, third])
    await expect.poll(async () => (await bench.call('GET', '/runs', { token })).status, { timeout: 10_000 }).toBe(401);
});

test('a session that is used lives on', async () => {
  await using bench = await createControlBench();
  const token = await makeToken(bench.store, 'a', ['view']);
  const session = (await open(bench, await makeCode(bench, token))).json as Opened;
  const soon = Date.now() + 60_000;
  await bench.store.db.updateTable('tokens').set({ expires_at: soon }).where('kind', '=', 'session').execute();
  const expiry = async () =>
    ((await bench.call('GET', '/v1/session', { token: session.token })).json as { expires_at: number }).expires_at;
  await expect.poll(expiry, { timeout: 10_000 }).toBeGreaterThan(soon + 50 * 60_000);
});

test('a server without tokens needs no code', async () => {
  await using bench = await createControlBench();
  expect((await bench.call('GET', '/v1/session')).json).toEqual({
    ...{ tenant: 'local', scopes: ['admin'], token_id: null, expires_at: null },
  });
  expect(await bench.call('POST', '/v1/session/code')).toMatchObject({
    status: 409,
    json: { error: { code: 'conflict' } },
  });
});
