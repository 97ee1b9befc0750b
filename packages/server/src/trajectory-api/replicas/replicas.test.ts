import { openStore } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLog } from '../../http/logs/create-log.ts';
import type { Post } from './post-json.ts';
import { Replicas } from './replicas.ts';

const OTHER = 'http://127.0.0.1:2 life-1';

/** One server that looks at another, which answers as it is told to. */
async function openPair(post: Post) {
  let now = 0;
  const directory = await mkdtemp(join(tmpdir(), 'lachesis-replicas-'));
  const store = await openStore({ sqlitePath: join(directory, 'lachesis.db') });
  const open = (address: string, life: string): Replicas =>
    new Replicas({
      ...{ store, address, life, post, leaseSeconds: 60, monotonic: () => (now += 100) },
      log: createLog({ name: 'trajectory-api', level: 'silent' }),
    });
  const other = open('http://127.0.0.1:2', 'life-1');
  const here = open('http://127.0.0.1:1', 'life-1');
  await other.start();
  await here.start();
  return {
    here,
    async [Symbol.asyncDispose]() {
      await here.close();
      await other.close();
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** A server that cannot answer `times` times. */
function unreadyFor(times: number, then: Post, meanwhile: Post): Post {
  let asked = 0;
  return (call) => ((asked += 1) > times ? then(call) : meanwhile(call));
}

const replaced: Post = async () => ({ status: 200, body: { value: 'else' } });
const breaking: Post = async () => {
  throw new Error('aborted');
};

const alive: Post = async () => ({ status: 200, body: { value: OTHER } });

test.each<[string, Post, boolean]>([
  ['one that says its name lives', alive, false],
  ['where another life says its own, it is gone', replaced, true],
  [
    'the other life may not be able to answer at first',
    unreadyFor(8, replaced, async () => ({ status: 400, body: {} })),
    true,
  ],
  ['a connection may break more than once', unreadyFor(8, replaced, breaking), true],
  [
    'where nothing listens, it is gone',
    async () => {
      throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    },
    true,
  ],
  ['one that does not answer in time may live', breaking, false],
])('%s', async (_, post, isAway) => {
  await using pair = await openPair(post);
  expect(pair.here.isGone(OTHER)).toBe(false);
  expect(await pair.here.isAway(OTHER)).toBe(isAway);
  // From then on without being asked: its lease in the store runs on for a while.
  expect(pair.here.isGone(OTHER)).toBe(isAway);
  pair.here.hear(OTHER);
  expect(pair.here.isGone(OTHER)).toBe(false);
});

test('a server is never gone for itself, and one without a lease is', async () => {
  await using pair = await openPair(alive);
  expect(await pair.here.isAway(pair.here.name)).toBe(false);
  expect(await pair.here.isAway('http://127.0.0.1:3 life-9')).toBe(true);
});
