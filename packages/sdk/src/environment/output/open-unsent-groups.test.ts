import { decodeGroup, encodeGroup } from '@lachesis/protocol/codec';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openUnsentGroups } from './open-unsent-groups.ts';

const group = (score: number) => ({
  header: { env_id: 0 },
  tokens: { values: Uint32Array.of(1, 2, 3), rowLengths: Uint32Array.of(3) },
  masks: { values: Int32Array.of(-100, 2, 3), rowLengths: Uint32Array.of(3) },
  scores: Float64Array.of(score),
});

test('gives groups back byte for byte, to the run they were made for, for a day', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'lachesis-unsent-'));
  try {
    let now = Date.now();
    const open = (url: string) => openUnsentGroups({ folder, url, now: () => now });
    const unsent = open('http://localhost:8000/run/a');
    expect(await unsent.list()).toEqual([]);
    await unsent.add('one', group(1));
    await unsent.add('two', group(0.5));
    const found = await open('http://localhost:8000/run/a').list();
    expect(found.map(({ groupId }) => groupId).toSorted()).toEqual(['one', 'two']);
    // The same key is only good for the same bytes.
    const one = found.find(({ groupId }) => groupId === 'one')!;
    expect(encodeGroup(one.group)).toEqual(encodeGroup(decodeGroup(encodeGroup(group(1)))));
    expect(encodeGroup(one.group)).toEqual(encodeGroup(group(1)));
    expect(await open('http://localhost:8000/run/b').list()).toEqual([]);
    await unsent.remove('one');
    expect(await unsent.list()).toHaveLength(1);
    now += 25 * 60 * 60_000;
    expect(await unsent.list()).toEqual([]);
    expect(await readdir(unsent.folder)).toEqual(['two.group']);
    await expect(unsent.add('../x', group(1))).rejects.toThrow('no id of a group');
  } finally {
    await rm(folder, { recursive: true });
  }
});
