import { createIdSource } from '@lachesis/protocol';
import {
  acquireRunLease,
  createTrainingRun,
  findToken,
  listRunProcesses,
  listTokens,
  openStore,
  writeRunProcess,
  type Store,
} from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createControlStations } from './stations.ts';

const PORTS = { api: 41_001, trainer: 41_002, env: null } as const;

/** A store with a run whose trajectory API and environment were started, and whose trainer was not. */
async function openRun(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-stations-'));
  const store = await openStore({ sqlitePath: join(folder, 'db') });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  const ids = createIdSource();
  const place = (port: number | null) => ({ logPath: join(folder, 'x.log'), port });
  const { runId } = await createTrainingRun({
    ...{ store, ids, tenantId: 'acme', environment: 'toy', config: {}, details: () => ({}) },
    nextShortId: () => 'abcdefgh',
    processes: () => ({ api: place(PORTS.api), trainer: place(PORTS.trainer), env: place(null) }),
  });
  const key = { store, tenantId: 'acme', runId };
  const held = await acquireRunLease({ ...key, holder: 'h', seconds: 60 });
  if (held === undefined) throw new Error('nobody had it');
  for (const process of await listRunProcesses(key)) {
    if (process.role === 'trainer') continue;
    await writeRunProcess({ store, lease: held.lease, process: { ...process, pid: 7 } });
  }
  return store;
}

async function openStations() {
  const store = await openRun();
  const sent: { url: string; headers: Headers; redirect: string | undefined }[] = [];
  const stations = createControlStations({
    ...{ store, instanceId: 'me', monotonic: () => performance.now() },
    fetch: async (input, init) => {
      sent.push({
        url: input instanceof Request ? input.url : input.toString(),
        headers: new Headers(init?.headers),
        redirect: init?.redirect,
      });
      return new Response('{}');
    },
  });
  return { store, stations, sent };
}

test('a station of a run is asked with a token of that run, and with the headers of the caller', async () => {
  const { store, stations, sent } = await openStations();
  const headers = { 'content-type': 'application/json', 'x-own': '1' };
  await stations.fetch(`http://127.0.0.1:${PORTS.api}/metrics`, { headers });
  await stations.fetch(new URL(`http://127.0.0.1:${PORTS.api}/status`));
  const [first, second] = sent;
  const credential = first?.headers.get('authorization') ?? '';
  expect(second?.headers.get('authorization')).toBe(credential);
  expect([first?.headers.get('content-type'), first?.headers.get('x-own')]).toEqual(['application/json', '1']);
  expect([first?.redirect, second?.redirect]).toEqual(['error', 'error']);
  expect(await findToken({ store, token: credential.slice('Bearer '.length) })).toMatchObject({
    ...{ tenantId: 'acme', run: 'abcdefgh', kind: 'process', scopes: ['view', 'inference:call'] },
  });
});

test.each([
  'http://127.0.0.1:41002/v1/trainer',
  'http://127.0.0.1:41003/',
  'http://localhost:41001/',
  'https://127.0.0.1:41001/',
  'http://127.0.0.1.evil.example:41001/',
  'https://api.openai.com/v1/chat/completions',
])('%s is nobody this server started: the call goes as it is', async (url) => {
  const { store, stations, sent } = await openStations();
  await stations.fetch(url, { method: 'POST', headers: { authorization: 'Bearer sk-own' } });
  expect(sent.map(({ headers }) => Object.fromEntries(headers))).toEqual([{ authorization: 'Bearer sk-own' }]);
  expect(await listTokens({ store, tenantId: 'acme' })).toEqual([]);
});

test('a program is lent a token that samples from one run, for as long as it works', async () => {
  const { store, stations } = await openStations();
  const run = { tenantId: 'acme', shortId: 'abcdefgh' };
  const token = await stations.lendSampling(run, { id: 'x', limitMs: 60_000 }, async (lent) => {
    expect(await findToken({ store, token: lent })).toMatchObject({ run: 'abcdefgh', scopes: ['inference:call'] });
    return lent;
  });
  expect(await findToken({ store, token })).toBeUndefined();
});
