import { createIdSource } from '@lachesis/protocol';
import { expect, test } from 'vitest';

import { StaleWriteError } from '../errors/stale-write-error.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { openCheckpointList } from './checkpoint-list.ts';
import { readLatestPolicy, recordPolicy } from './policy-versions.ts';
import { openStepLedger } from './step-ledger.ts';

const SCOPE = { tenantId: 'local', runId: 'run', incarnationId: 'incarnation' };

describeOnEachDialect('the ledger of the trainer', (createTarget) => {
  test('frees later steps and names the model that goes on, in one write', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const ledger = openStepLedger({ ...SCOPE, store, ids: createIdSource() });
    for (const step of [1, 2, 3]) {
      await ledger.open({ step, batchId: `b${step}`, epoch: 0, groupCount: 1 });
      await ledger.advance(step, { state: step === 3 ? 'submitted' : 'done', modelId: 'old', firstSequence: step });
    }
    expect(await ledger.rewind(1, { modelId: 'new', reason: 'the weights went back' })).toBe(2);
    expect(await ledger.lastStep()).toBe(1);
    expect(await ledger.latestOnModel()).toMatchObject({ step: 1, modelId: 'new', state: 'done' });
    expect(await ledger.unfinished()).toEqual([]);
    await ledger.open({ step: 2, batchId: 'b2', epoch: 0, groupCount: 1 });
    expect(await ledger.lastStep()).toBe(2);
  });

  test('follows a step to its end', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const ledger = openStepLedger({ ...SCOPE, store, ids: createIdSource() });
    expect(await ledger.lastStep()).toBe(0);

    await ledger.open({ step: 1, batchId: 'a', epoch: 1, groupCount: 2 });
    await ledger.open({ step: 2, batchId: 'b', epoch: 1, groupCount: 2 });
    await ledger.advance(1, { state: 'submitted', modelId: 'm', firstSequence: 5 });
    expect(await ledger.unfinished()).toMatchObject([
      { step: 1, state: 'submitted', modelId: 'm', firstSequence: 5, batchId: 'a', epoch: 1, groupCount: 2 },
      { step: 2, state: 'leased', modelId: null },
    ]);

    await ledger.advance(1, { state: 'saved', policyVersion: 1, weightsPath: 'w', statePath: 's' });
    await ledger.advance(1, { state: 'done' });
    expect(await ledger.ofBatch('a')).toMatchObject([{ state: 'done', policyVersion: 1, firstSequence: 5 }]);
    expect((await ledger.ofBatch('a'))[0]!.endedAt).toBeGreaterThan(0);
    expect((await ledger.latestState())?.statePath).toBe('s');
    expect((await ledger.unfinished()).map(({ step }) => step)).toEqual([2]);
    expect(await ledger.lastStep()).toBe(2);
  });

  test('a batch that makes no step frees its number and is still known', async () => {
    await using target = await createTarget();
    const ledger = openStepLedger({ ...SCOPE, store: await target.open(), ids: createIdSource() });
    for (const batchId of ['a', 'b']) {
      await ledger.open({ step: 1, batchId, epoch: 1, groupCount: 1 });
      await ledger.setAside(1);
      expect(await ledger.lastStep()).toBe(0);
    }
    await ledger.open({ step: 1, batchId: 'c', epoch: 1, groupCount: 1 });
    expect([await ledger.ofBatch('a'), await ledger.ofBatch('b')]).toMatchObject([
      [{ step: -1, state: 'empty' }],
      [{ step: -2, state: 'empty' }],
    ]);
    expect((await ledger.unfinished()).map(({ batchId }) => batchId)).toEqual(['c']);
    expect(await ledger.lastStep()).toBe(1);
  });

  test('refuses a step that is taken, and one that is not there', async () => {
    await using target = await createTarget();
    const ledger = openStepLedger({ ...SCOPE, store: await target.open(), ids: createIdSource() });
    await ledger.open({ step: 1, batchId: 'a', epoch: 1, groupCount: 1 });
    await expect(ledger.open({ step: 1, batchId: 'b', epoch: 1, groupCount: 1 })).rejects.toSatisfy(
      StaleWriteError.isInstance,
    );
    await ledger.advance(1, { state: 'returned', reason: 'the lease ended' });
    expect(await ledger.lastStep()).toBe(0);
    await ledger.open({ step: 1, batchId: 'b', epoch: 1, groupCount: 1 });
    expect(await ledger.unfinished()).toMatchObject([{ step: 1, batchId: 'b', state: 'leased', reason: null }]);
    await expect(ledger.advance(9, { state: 'done' })).rejects.toSatisfy(StaleWriteError.isInstance);
  });

  test('knows which steps are lost when the weights go back', async () => {
    await using target = await createTarget();
    const ledger = openStepLedger({ ...SCOPE, store: await target.open(), ids: createIdSource() });
    for (const step of [1, 2, 3]) {
      await ledger.open({ step, batchId: `b${step}`, epoch: 1, groupCount: 1 });
      await ledger.advance(step, { state: 'done', statePath: `s${step}` });
    }
    expect(await ledger.loseAfter(1, 'the engine was restarted')).toBe(2);
    expect(await ledger.ofBatch('b3')).toMatchObject([{ state: 'lost', reason: 'the engine was restarted' }]);
    expect((await ledger.latestState())?.step).toBe(1);
    await ledger.forgetState(1);
    expect(await ledger.latestState()).toBeUndefined();
  });

  test('keeps checkpoints, the best one marked, until they are forgotten', async () => {
    await using target = await createTarget();
    const list = openCheckpointList({ ...SCOPE, store: await target.open(), ids: createIdSource() });
    const checkpoint = { policyVersion: 1, modelId: 'm', weightsPath: null, isFinal: false };
    await list.add({ ...checkpoint, step: 25, statePath: 'a' });
    await list.add({ ...checkpoint, step: 50, statePath: 'b' });
    await list.add({ ...checkpoint, step: 50, statePath: 'c' });
    expect((await list.list()).map(({ step, statePath }) => [step, statePath])).toEqual([
      [50, 'c'],
      [25, 'a'],
    ]);
    expect(await list.best()).toBeUndefined();
    expect([await list.evaluate(25, 0.7), await list.evaluate(50, 0.4), await list.evaluate(75, 1)]).toEqual([
      true,
      true,
      false,
    ]);
    expect((await list.best())?.step).toBe(25);
    await list.forget(25);
    expect((await list.best())?.step).toBe(50);
  });

  test('remembers what was published last', async () => {
    await using target = await createTarget();
    const scope = { store: await target.open(), tenantId: 'local', runId: 'run' };
    expect(await readLatestPolicy(scope)).toBeUndefined();
    await recordPolicy({ ...scope, policy: { version: 0, step: 0, weightsPath: null } });
    await recordPolicy({ ...scope, policy: { version: 3, step: 3, weightsPath: 'w' } });
    await recordPolicy({ ...scope, policy: { version: 3, step: 3, weightsPath: 'other' } });
    expect(await readLatestPolicy(scope)).toMatchObject({ version: 3, step: 3, weightsPath: 'w' });
  });
});
