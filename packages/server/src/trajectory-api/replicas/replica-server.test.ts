import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { createProcessToken, openStore } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLog } from '../../http/logs/create-log.ts';
import { postJson } from './post-json.ts';
import { ReplicaServer } from './replica-server.ts';

test('it says under which name it lives while the database is away, and does nothing else', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lachesis-replica-server-'));
  const store = await openStore({ sqlitePath: join(directory, 'lachesis.db') });
  const { token } = await createProcessToken({
    ...{ store, tenantId: LOCAL_TENANT, run: 'other', role: 'other', instanceId: 'other' },
    ...{ scopes: [], lifetimeMs: 60_000 },
  });
  const address = 'http://127.0.0.1:0';
  const heard: string[] = [];
  const server = new ReplicaServer({
    ...{ store, address, name: `${address} life-1`, monotonic: () => 0 },
    log: createLog({ name: 'trajectory-api', level: 'silent' }),
    contextOf: () => {
      throw new Error('nobody may ask');
    },
    hear: (replica) => heard.push(replica),
  });
  const port = await server.listen();
  const ask = postJson();
  const call = { token, body: { from: 'stranger', command: 'life' }, timeoutMs: 5_000 };
  try {
    expect(await ask({ ...call, url: `http://127.0.0.1:${port}/ask` })).toEqual({ status: 401, body: {} });
    await store.close();
    expect(await ask({ ...call, url: `http://127.0.0.1:${port}/ask` })).toEqual({ status: 400, body: {} });
    expect(await ask({ ...call, url: `http://127.0.0.1:${port}/life` })).toEqual({
      status: 200,
      body: { value: `${address} life-1` },
    });
    expect(heard).toEqual([]);
  } finally {
    await server.close();
    await rm(directory, { recursive: true });
  }
});
