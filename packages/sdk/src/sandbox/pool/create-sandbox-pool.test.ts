import { describe, expect, it } from 'vitest';

import type { Sandbox, SandboxProvider } from '../sandbox.ts';
import { createSandboxPool } from './create-sandbox-pool.ts';

function createFakeProvider(): SandboxProvider & { living: Set<string> } {
  const living = new Set<string>();
  let count = 0;
  return {
    name: 'fake',
    living,
    create: async () => {
      count += 1;
      const id = String(count);
      living.add(id);
      return { id, destroy: async () => void living.delete(id) } as unknown as Sandbox;
    },
    reap: async () => 0,
    close: async () => undefined,
  };
}

describe('createSandboxPool', () => {
  it('hands out ready ones and fills their places', async () => {
    const pool = createSandboxPool({ provider: createFakeProvider(), template: { owner: 'me' }, size: 2 });
    await expect.poll(() => pool.countReady()).toBe(2);
    const taken = await Promise.all([pool.take(), pool.take(), pool.take()]);
    expect(new Set(taken.map((each) => each.id)).size).toBe(3);
    await expect.poll(() => pool.countReady()).toBe(2);
  });

  it('destroys those nobody took and leaves the taken ones', async () => {
    const provider = createFakeProvider();
    const pool = createSandboxPool({ provider, template: { owner: 'me' }, size: 3 });
    const taken = await pool.take();
    await pool.close();
    expect([...provider.living]).toEqual([taken.id]);
    await expect(pool.take()).rejects.toThrow('closed');
  });

  it('does not hand out one that is in the second half of its life', async () => {
    let time = 0;
    const provider = createFakeProvider();
    const pool = createSandboxPool({ provider, template: { owner: 'me', lifetimeMs: 100 }, size: 1, now: () => time });
    await expect.poll(() => pool.countReady()).toBe(1);
    time = 51;
    expect((await pool.take()).id).not.toBe('1');
    expect(provider.living.has('1')).toBe(false);
    await pool.close();
  });

  it('tells the taker why none can be made', async () => {
    const provider = { ...createFakeProvider(), create: () => Promise.reject(new Error('no room')) };
    const pool = createSandboxPool({ provider, template: { owner: 'me' }, size: 1 });
    await expect(pool.take()).rejects.toThrow('no room');
    await pool.close();
  });
});
