import { openStore, listAudit, verifyAudit, readAuditAnchor, type Store } from '@lachesis/store';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { LOCAL_PRINCIPAL, type Principal } from '../access/principal.ts';
import type { RouteFacts } from '../route.ts';
import type { AuditedCall } from './audit-sink.ts';
import { CallCounter } from './count-calls.ts';
import { describeCall } from './describe-call.ts';
import { openAuditLog } from './open-audit-log.ts';

const route = (given: Partial<RouteFacts>): RouteFacts => ({
  ...{ method: 'POST', path: '/runs', scope: 'run:admin', summary: '' },
  ...given,
});
const principal: Principal = { tenantId: 'a', scopes: ['admin'], run: null, tokenId: 'one' };
const call = (given: Partial<AuditedCall> = {}): AuditedCall => ({
  ...{
    method: given.route?.method ?? 'POST',
    route: route({}),
    principal,
    address: '127.0.0.1',
    things: {},
    status: 200,
  },
  ...given,
});
const describeIt = (given: Partial<AuditedCall>) => describeCall(call(given), { by: 'control', at: 5 });

describe('a call in the audit log', () => {
  it('is a line when it changes something, a count when it reads, and nothing when it is public', () => {
    expect(describeIt({})).toMatchObject({
      isCounted: false,
      entry: { action: 'POST /runs', tokenId: 'one', result: 'ok' },
    });
    expect(describeIt({ route: route({ method: 'GET', path: '/v1/trajectories/:id' }) })).toMatchObject({
      isCounted: true,
    });
    expect(describeIt({ route: route({ audit: 'count' }) })).toMatchObject({ isCounted: true });
    expect(describeIt({ route: route({ audit: 'none' }) })).toBeUndefined();
    expect(
      describeIt({ route: route({ method: 'GET', scope: 'public' }), principal: LOCAL_PRINCIPAL }),
    ).toBeUndefined();
    expect(describeIt({ route: undefined, status: 404 })).toBeUndefined();
  });

  it('is counted when it was refused, with the code, whatever the route says', () => {
    for (const audit of ['line', 'count', 'none'] as const) {
      expect(describeIt({ route: route({ audit }), status: 403, code: 'forbidden' })).toMatchObject({
        isCounted: true,
        entry: { result: 'forbidden', status: 403 },
      });
    }
    expect(describeIt({ route: undefined, principal: undefined, status: 403 })).toMatchObject({
      entry: { tenantId: '', action: 'POST (not served)', result: 'http-403' },
    });
  });

  it('holds ids and no text, no key and no token, and nothing a stranger wrote', () => {
    const things = {
      id: 'run-1',
      ref: 'chat@3',
      text: 'my password is x',
      key: 'abc',
      odd: `lch_${'x'.repeat(20)}`,
      long: 'x'.repeat(129),
    };
    expect(describeIt({ things })?.entry.things).toEqual({
      ...{ id: 'run-1', ref: 'chat@3', text: '(hidden)', key: '(hidden)', odd: '(hidden)', long: '(hidden)' },
    });
    expect(describeIt({ things, principal: undefined, status: 401, code: 'unauthorized' })?.entry.things).toEqual({});
  });
});

describe('calls that are alike', () => {
  const entry = describeIt({ status: 401, code: 'unauthorized' })!.entry;

  it('are one entry, less the first of a refusal, which was written when it happened', () => {
    const counter = new CallCounter();
    for (let at = 1; at <= 5; at += 1) counter.count({ ...entry, at });
    for (let at = 1; at <= 3; at += 1) counter.count({ ...entry, at, result: 'ok' });
    expect(counter.take()).toMatchObject([
      { result: 'unauthorized', count: 4, at: 1, until: 5 },
      { result: 'ok', count: 3, until: 3 },
    ]);
    expect(counter.take()).toEqual([]);
  });

  it('are told apart within a bound', () => {
    const counter = new CallCounter();
    for (let place = 0; place < 100_000; place += 1) counter.count({ ...entry, from: `10.0.${place}` });
    const taken = counter.take();
    expect(taken).toMatchObject([{ from: '(many)', action: '(many)', count: 98_999 }]);
  });
});

describe('the audit log of a server', () => {
  async function open() {
    const home = await mkdtemp(join(tmpdir(), 'lachesis-audit-'));
    const store = await openStore({ sqlitePath: join(home, 'lachesis.db') });
    const log = pino({ level: 'silent' });
    const audit = await openAuditLog({ store, home, by: 'control', log });
    return { home, store, audit, log, [Symbol.asyncDispose]: () => store.close() };
  }
  const lines = async (store: Store) =>
    (await listAudit({ store, limit: 100 })).map(({ action, result, count }) => [action, result, count]);

  it('has changes at once, counts at the end, and verifies', async () => {
    await using server = await open();
    const { audit, store, home } = server;
    audit.observe(call());
    for (let times = 0; times < 500; times += 1) {
      audit.observe(call({ route: route({ audit: 'count', path: '/scored_data' }) }));
      audit.observe(call({ principal: undefined, status: 401, code: 'unauthorized' }));
    }
    await expect
      .poll(() => lines(store))
      .toEqual([
        ['server start', 'ok', 1],
        ['POST /runs', 'ok', 1],
        ['POST /runs', 'unauthorized', 1],
      ]);
    await Promise.all([audit.close(), audit.close()]);
    expect((await lines(store)).slice(3)).toEqual([
      ['POST /scored_data', 'ok', 500],
      ['POST /runs', 'unauthorized', 499],
      ['server stop', 'ok', 1],
    ]);
    const anchor = await readAuditAnchor(home);
    expect(anchor?.cursor).toBe(6);
    expect(await verifyAudit({ store, keys: [audit.key], anchors: [anchor!] })).toMatchObject({ ok: true, lines: 6 });
  });

  it('waits for a database that is away, and says how many lines did not fit', async () => {
    await using server = await open();
    const { home, store, log } = server;
    let isAway = true;
    const away: Store = {
      ...store,
      commit: (unit) => (isAway ? Promise.reject(new Error('away')) : store.commit(unit)),
    };
    const audit = await openAuditLog({ store: away, home, by: 'other', log });
    for (let times = 0; times < 10_050; times += 1) audit.observe(call());
    await new Promise((resolve) => setTimeout(resolve, 50));
    isAway = false;
    await expect
      .poll(async () => (await listAudit({ store, limit: 1 }))[0], { timeout: 10_000 })
      .toMatchObject({
        action: 'audit lost',
      });
    await audit.close();
    const [last] = (await listAudit({ store, filter: { action: 'audit lost' }, limit: 1 })).slice(-1);
    expect(last?.count).toBeGreaterThan(0);
    expect(await verifyAudit({ store, keys: [audit.key] })).toMatchObject({ ok: true });
  });
});
