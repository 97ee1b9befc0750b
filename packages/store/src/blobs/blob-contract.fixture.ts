import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { BlobCorruptError, BlobMissingError } from '../errors/blob-errors.ts';
import type { LibraryBlobs } from './blob-store.ts';
import { collectOrphans } from './collect-orphans.ts';

/** A place of blobs that nobody else uses. */
export interface BlobPlace {
  readonly blobs: LibraryBlobs;
  /** Changes a bit of a stored blob behind its back. */
  damage(digest: string): Promise<void>;
}

/** One thing that is true of every kind of blobs. */
export interface BlobPromise {
  name: string;
  check(place: BlobPlace): Promise<void>;
}

const HOUR_MS = 3_600_000;
export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

async function put(blobs: LibraryBlobs, text: string): Promise<string> {
  const digest = digestOf(encode(text));
  await blobs.put(digest, encode(text));
  return digest;
}

async function list(blobs: LibraryBlobs): Promise<string[]> {
  const digests: string[] = [];
  for await (const { digest } of blobs.list()) digests.push(digest);
  return digests.toSorted();
}

/** As if everything had been put an hour ago. */
const collect = (blobs: LibraryBlobs, referenced: readonly string[]) =>
  collectOrphans({
    ...{ blobs, graceMs: 0, now: () => Date.now() + HOUR_MS },
    isReferenced: async (digest) => referenced.includes(digest),
  });

/** What is promised of blobs, wherever they lie. */
export const BLOB_PROMISES: readonly BlobPromise[] = [
  {
    name: 'come back as they were put',
    async check({ blobs }) {
      assert.deepEqual(await list(blobs), []);
      const digest = await put(blobs, 'one');
      assert.deepEqual(Buffer.from(await blobs.get(digest)), Buffer.from('one'));
      assert.equal(await blobs.has(digest), true);
      const [entry] = await Array.fromAsync(blobs.list());
      assert.equal(entry?.bytes, 3);
      assert.ok(Math.abs(entry.modifiedAtMs - Date.now()) < HOUR_MS);
      await blobs.remove(digest);
      await blobs.remove(digest);
      assert.equal(await blobs.has(digest), false);
      await assert.rejects(blobs.get(digest), (error) => BlobMissingError.isInstance(error));
    },
  },
  {
    name: 'may be empty, and large',
    async check({ blobs }) {
      for (const bytes of [new Uint8Array(), randomBytes(12 * 1024 * 1024 + 7)]) {
        await blobs.put(digestOf(bytes), bytes);
        const read = await blobs.get(digestOf(bytes));
        assert.ok(Buffer.from(bytes).equals(read));
      }
    },
  },
  {
    name: 'are put by many at once',
    async check({ blobs }) {
      const texts = ['a', 'b', 'c', 'd'];
      const digests = await Promise.all([...texts, ...texts, ...texts].map((text) => put(blobs, text)));
      assert.deepEqual(await list(blobs), [...new Set(digests)].toSorted());
      for (const digest of digests) await blobs.get(digest);
    },
  },
  {
    name: 'are refused when a bit has changed, and mended by putting them again',
    async check({ blobs, damage }) {
      const digest = await put(blobs, 'a payload of some length');
      await damage(digest);
      const isCorrupt = (error: unknown): boolean => BlobCorruptError.isInstance(error);
      await assert.rejects(blobs.get(digest), isCorrupt);
      await assert.rejects(blobs.get(digest, { crc32: crc32('a payload of some length') }), isCorrupt);
      await put(blobs, 'a payload of some length');
      await blobs.get(digest);
      // A checksum that does not fit says nothing against bytes that their digest vouches for.
      await blobs.get(digest, { crc32: 1 });
    },
  },
  {
    name: 'are named by digests only',
    async check({ blobs }) {
      const digest = digestOf(encode('x'));
      for (const name of ['../../etc/passwd', digest.toUpperCase(), `${digest}/..`, '', `${digest}\0`]) {
        for (const call of [blobs.put(name, encode('x')), blobs.get(name), blobs.remove(name), blobs.has(name)]) {
          await assert.rejects(call, TypeError);
        }
      }
    },
  },
  {
    name: 'have notes beside them that the first writer wrote, and that are no payload',
    async check({ blobs }) {
      const texts = ['one', 'two', 'three', 'four'];
      await Promise.all(texts.map((text) => blobs.notes.writeOnce('.note', text)));
      const kept = await blobs.notes.read('.note');
      assert.ok(kept !== undefined && texts.includes(kept));
      await blobs.notes.writeOnce('.note', 'five');
      assert.equal(await blobs.notes.read('.note'), kept);
      assert.deepEqual(
        (await blobs.notes.list()).map(({ name }) => name),
        ['.note'],
      );
      assert.deepEqual(await list(blobs), []);
      await blobs.notes.remove('.note');
      assert.equal(await blobs.notes.read('.note'), undefined);
    },
  },
  {
    name: 'are collected when nobody refers to them, and not before they are old',
    async check({ blobs }) {
      const [kept, orphan] = [await put(blobs, 'kept'), await put(blobs, 'orphan')];
      assert.equal(await blobs.removeIfOlder(orphan, Date.now() - HOUR_MS), false);
      const first = await collect(blobs, [kept]);
      assert.deepEqual([first.removedBlobs, first.removedBytes], [1, 6]);
      assert.deepEqual(await list(blobs), [kept]);
      await collect(blobs, [kept]);
      await assert.rejects(blobs.get(orphan), (error) => BlobMissingError.isInstance(error));
      await blobs.get(kept);
    },
  },
  {
    name: 'are there for whoever puts them while they are collected',
    async check({ blobs }) {
      const texts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
      const digests = await Promise.all(texts.map((text) => put(blobs, text)));
      // Some stores know whole seconds only.
      await sleep(1_100);
      const modifiedBeforeMs = Date.now() - 50;
      await Promise.all(
        texts.map(async (text, index) => {
          const race = [() => blobs.removeIfOlder(digests[index]!, modifiedBeforeMs), () => put(blobs, text)];
          await Promise.all((index % 2 === 0 ? race : race.toReversed()).map((start) => start()));
        }),
      );
      for (const digest of digests) await blobs.get(digest);
      await collect(blobs, digests);
      assert.deepEqual(await list(blobs), digests.toSorted());
    },
  },
];
