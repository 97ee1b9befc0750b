import { openStore } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { choosePorts } from './choose-ports.ts';

test('two ports that differ: those of the recipe, others where they are taken, any where none is wanted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-ports-'));
  const store = await openStore({ sqlitePath: join(folder, 'db') });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const recipe = { env: { rollout_server_url: url }, openai: [{ base_url: `${url}/v1` }], tinker: {} };
    const taken = await choosePorts(store, { recipe });
    expect(new Set([taken.api, taken.trainer, port]).size).toBe(3);
    const same = 'http://127.0.0.1:0';
    const wished = { env: { rollout_server_url: same }, openai: [{ base_url: same }], tinker: {} };
    for (let turn = 0; turn < 50; turn++) {
      const any = await choosePorts(store, { recipe: wished }, { isAny: true });
      expect(any.api).not.toBe(any.trainer);
      expect(any.api * any.trainer).toBeGreaterThan(0);
    }
  } finally {
    server.close();
    await store.close();
    await rm(folder, { recursive: true });
  }
});
