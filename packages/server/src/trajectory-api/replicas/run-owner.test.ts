import { openStore, type Store } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NotOwnerError } from './not-owner-error.ts';
import type { Replicas } from './replicas.ts';
import { RunOwner } from './run-owner.ts';

async function openPlace() {
  const directory = await mkdtemp(join(tmpdir(), 'lachesis-owner-'));
  const store = await openStore({ sqlitePath: join(directory, 'lachesis.db') });
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** One run as the server of this name sees it. */
function openOwner(store: Store, name: string, replaced: readonly string[] = []) {
  let lost = 0;
  const replicas: Partial<Replicas> = {
    ...{ store, name, leaseSeconds: 60 },
    isReplaced: (holder) => replaced.includes(holder),
    look: async () => {},
  };
  const owner = new RunOwner({
    ...{ replicas: replicas as Replicas, tenantId: 'local', runName: 'a', monotonic: () => 0 },
    onLost: () => void (lost += 1),
  });
  return Object.assign(owner, { countLost: () => lost });
}

test('the first who asks owns the run; the others are told who, until it gives the run back', async () => {
  await using place = await openPlace();
  const first = openOwner(place.store, 'first');
  const second = openOwner(place.store, 'second');
  expect(await Promise.all([first.find(), first.find()])).toEqual([null, null]);
  expect(first.lease).toMatchObject({ holder: 'first', epoch: 1 });
  expect(await second.find()).toBe('first');
  expect(() => second.lease).toThrow(NotOwnerError);
  await first.close();
  // What it was told before is kept until it turns out wrong.
  expect(await second.find()).toBe('first');
  second.forget('somebody else');
  expect(await second.find()).toBe('first');
  second.forget('first');
  expect(await second.find()).toBeNull();
  expect(second.lease.epoch).toBeGreaterThan(1);
  await expect(first.find()).rejects.toThrow(NotOwnerError);
  await second.close();
});

test('a server that nobody listens for any more is not waited for, and finds out that the run is gone', async () => {
  await using place = await openPlace();
  const dead = openOwner(place.store, 'dead');
  await dead.find();
  const next = openOwner(place.store, 'next', ['dead']);
  expect(await next.find()).toBeNull();
  expect(next.lease.epoch).toBe(2);
  dead.forget(null);
  expect([dead.isHere, dead.countLost()]).toEqual([false, 1]);
  expect(await dead.find()).toBe('next');
  await dead.close();
  await next.close();
});
