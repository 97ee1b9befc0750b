import { createIdSource } from '@lachesis/protocol';
import { findOrCreateRun, openCheckpointList, openStore, registerModel } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TrainerError } from '../trainer-error.ts';
import { pinStart } from './pin-start.ts';

test('a name means for a run what it meant when the run began', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-pin-'));
  const store = await openStore({ sqlitePath: join(folder, 'lachesis.db') });
  try {
    const scope = { store, tenantId: 'local', run: 'rl-a', file: join(folder, 'start.json') };
    const register = (step: number) =>
      registerModel({
        ...{ store, tenantId: 'local', name: 'warm', baseModel: 'tiny', method: 'sft', run: 'r', step },
        ...{ weightsPath: `tinker://m/policy-${step}`, statePath: `tinker://m/weights/policy-${step}` },
      });
    await register(1);
    expect(await pinStart({ ...scope, given: undefined })).toBeUndefined();
    expect(await pinStart({ ...scope, given: 'warm' })).toBe('tinker://m/weights/policy-1');
    await register(2);
    expect(await pinStart({ ...scope, given: 'warm' })).toBe('tinker://m/weights/policy-1');
    expect(await pinStart({ ...scope, given: 'warm@2' })).toBe('tinker://m/weights/policy-2');
    const refused = pinStart({ ...scope, given: 'tinker://m/policy-2' });
    await expect(refused).rejects.toSatisfy(TrainerError.isInstance);
    await expect(refused).rejects.toThrow('Its state is tinker://m/weights/policy-2; warm@2 names both.');
    // Once it has learned, another beginning would be a lie.
    const { runId } = await findOrCreateRun({ store, tenantId: 'local', name: 'rl-a' });
    const checkpoints = openCheckpointList({ ...scope, runId, incarnationId: 'i', ids: createIdSource() });
    await checkpoints.add({
      ...{ step: 1, policyVersion: 1, modelId: 'n', statePath: 'tinker://n/weights/1', weightsPath: null },
      isFinal: false,
    });
    expect(await pinStart({ ...scope, given: 'warm@2' })).toBe('tinker://m/weights/policy-2');
    await expect(pinStart({ ...scope, given: 'warm@1' })).rejects.toThrow('the run rl-a began with warm@2');
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
});
