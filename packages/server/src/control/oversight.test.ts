import type { oversightSchemas } from '@lachesis/protocol';
import { acquireLease } from '@lachesis/store';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { createControlBench, makeToken, type ControlBench } from './bench.fixture.ts';

type Reply<Name extends keyof typeof oversightSchemas> = z.infer<(typeof oversightSchemas)[Name]>;

const read = async <T>(bench: ControlBench, url: string, token: string): Promise<T> =>
  (await bench.call('GET', url, { token })).json as T;

test('leases that are held, until when, and none of another tenant', async () => {
  await using bench = await createControlBench();
  const [own, other] = [await makeToken(bench.store, 'a', ['view']), await makeToken(bench.store, 'b', ['view'])];
  const lease = { store: bench.store, tenantId: 'a', kind: 'rating' as const, resource: 't1' };
  await acquireLease({ ...lease, holder: 'ada', seconds: 60 });
  const { leases } = await read<Reply<'leases'>>(bench, '/v1/leases', own);
  expect(leases).toMatchObject([{ kind: 'rating', resource: 't1', holder: 'ada' }]);
  expect(leases[0]?.expires_at).toBeGreaterThan(Date.now());
  expect(await read(bench, '/v1/leases', other)).toEqual({ leases: [] });
});

test('tokens without their secrets, of the own tenant, for an admin alone', async () => {
  await using bench = await createControlBench();
  const admin = await makeToken(bench.store, 'a', ['admin']);
  const viewer = await makeToken(bench.store, 'a', ['view']);
  await makeToken(bench.store, 'b', ['admin']);
  const reply = await bench.call('GET', '/v1/tokens', { token: admin });
  const { tokens } = reply.json as Reply<'tokens'>;
  expect(tokens.map(({ scopes }) => scopes)).toEqual([['admin'], ['view']]);
  for (const token of [admin, viewer]) expect(reply.text).not.toContain(token.split('_').at(-1));
  expect((await bench.call('GET', '/v1/tokens', { token: viewer })).status).toBe(403);
});

test('the audit log: what this tenant did, and whether any line was changed', async () => {
  await using bench = await createControlBench();
  const [a, b] = [await makeToken(bench.store, 'a', ['admin']), await makeToken(bench.store, 'b', ['admin'])];
  await bench.call('POST', '/v1/forget', { token: a, body: { user: 'ann' } });
  const lines = async (token: string) => (await read<Reply<'audit'>>(bench, '/v1/audit?action=forget', token)).lines;
  await expect.poll(() => lines(a)).toMatchObject([{ action: 'POST /v1/forget', result: 'ok', count: 1 }]);
  expect(await lines(b)).toEqual([]);

  const whole = await read<Reply<'auditCheck'>>(bench, '/v1/audit/check', a);
  expect(whole).toMatchObject({ is_whole: true, fault: null });
  expect(whole.lines).toBeGreaterThan(0);
  await bench.store.db
    .updateTable('audit_lines')
    .set({ action: 'GET /v1/forget' })
    .where('tenant_id', '=', 'a')
    .execute();
  const changed = await read<Reply<'auditCheck'>>(bench, '/v1/audit/check', a);
  expect(changed).toMatchObject({ is_whole: false, hash: null, fault: { cursor: expect.any(Number) } });
});
