import { expect, test, vi } from 'vitest';
import { createMemoryJournal, FakeEngine } from '../testing/fake-engine.fixture.ts';
import { watchJournal } from '../engine/watched-journal.ts';
import type { RecordExample } from './method.ts';
import { addReference, type AddReferenceOptions } from './reference-logprobs.ts';
import { toDatum } from './to-datum.ts';

const example = (id: string, ...tokens: number[]): RecordExample => ({
  id,
  datums: [toDatum({ tokens: Int32Array.from(tokens), mask: tokens.map(() => 1) })],
});

function prepare(changes: Partial<AddReferenceOptions> = {}) {
  const kept = new Map<string, Float32Array>();
  const engine = new FakeEngine().connect(watchJournal(createMemoryJournal()), () => undefined);
  const release = vi.fn(async () => undefined);
  const openModel = vi.fn(async () => ({ model: await engine.create(), release }));
  const options: AddReferenceOptions = {
    examples: [example('a', 1, 2, 3), example('b', 4, 5), example('c', 6, 7, 8, 9)],
    weights: { baseModel: 'base', state: null },
    dataset: 'digest',
    batchSize: 2,
    cache: { read: async (key) => kept.get(key), write: async (key, values) => void kept.set(key, values) },
    openModel,
    onProgress: () => undefined,
    signal: new AbortController().signal,
    ...changes,
  };
  return { options, openModel, release, kept };
}

test('measures once, and takes the same from the cache', async () => {
  const { options, openModel, release } = prepare();
  const first = await addReference(options);
  const again = await addReference(options);
  expect(again).toEqual(first);
  expect(first.map(({ reference }) => reference?.[0]?.length)).toEqual([2, 1, 3]);
  expect(openModel).toHaveBeenCalledTimes(1);
  expect(release).toHaveBeenCalledTimes(1);
});

test('measures again for other weights, another data set, and other tokens', async () => {
  const { options, openModel } = prepare();
  await addReference(options);
  await addReference({ ...options, weights: { baseModel: 'base', state: 'tinker://m/weights/a' } });
  await addReference({ ...options, dataset: 'other' });
  await addReference({ ...options, examples: [example('a', 1, 2, 4), ...options.examples.slice(1)] });
  expect(openModel).toHaveBeenCalledTimes(4);
});

test('gives the model back when it fails', async () => {
  const stopped = AbortSignal.abort(new Error('enough'));
  const { options, release, kept } = prepare({ signal: stopped });
  await expect(addReference(options)).rejects.toThrow('enough');
  expect(release).toHaveBeenCalledTimes(1);
  expect(kept.size).toBe(0);
});
