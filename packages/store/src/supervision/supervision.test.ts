import { createIdSource, type RunState } from '@lachesis/protocol';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Store } from '../database/store.ts';
import { readEventPage } from '../events/read-event-page.ts';
import { verifyChain } from '../events/verify-chain.ts';
import { LeaseLostError } from '../errors/lease-lost-error.ts';
import { releaseLease, renewLease } from '../leases/acquire-lease.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { createTrainingRun } from './create-training-run.ts';
import { findTrainingRun, listOpenRuns, listRunProcesses, listTrainingRuns } from './find-training-runs.ts';
import { acquireRunLease } from './run-lease.ts';
import { noteRunEvent, requestRunStop, transitionRun, writeRunProcess } from './write-run.ts';
import type { TrainingRun } from './training-run.ts';

const place = { logPath: '/log', port: 1 };
const create = (store: Store, given: { shortId?: string; key?: string } = {}): Promise<TrainingRun> => {
  const names = [given.shortId ?? 'aaaaaaaa', 'bbbbbbbb', 'cccccccc'];
  return createTrainingRun({
    ...{ store, tenantId: 't', environment: 'toy', config: { a: 1 }, ids: createIdSource() },
    details: (shortId) => ({ shortId }),
    processes: () => ({ api: place, trainer: place, env: { ...place, port: null } }),
    nextShortId: () => names.shift() ?? 'zzzzzzzz',
    idempotencyKey: given.key,
  });
};

describeOnEachDialect('a run', (createTarget) => {
  it('has a name of its own, and is one however often its key is sent', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const first = await create(store, { key: 'k' });
    expect((await create(store)).shortId).toBe('bbbbbbbb');
    expect((await create(store, { key: 'k', shortId: 'dddddddd' })).runId).toBe(first.runId);
    expect((await listTrainingRuns({ store, tenantId: 't' })).map(({ shortId }) => shortId)).toEqual([
      'bbbbbbbb',
      'aaaaaaaa',
    ]);
    expect(await listTrainingRuns({ store, tenantId: 'u' })).toEqual([]);
    expect(await listRunProcesses({ store, ...first })).toHaveLength(3);
  });

  it('is looked after by one, and what the one before writes changes nothing', async () => {
    await using target = await createTarget();
    const [store, other] = [await target.open(), await target.open()];
    const { tenantId, runId } = await create(store);
    const key = { tenantId, runId };
    const taken = await Promise.all(
      ['a', 'b', 'c', 'd'].map((holder, index) =>
        acquireRunLease({ store: index % 2 === 0 ? store : other, ...key, holder, seconds: 60 }),
      ),
    );
    const [held] = taken.filter((run) => run !== undefined);
    expect(taken.filter((run) => run !== undefined)).toHaveLength(1);
    if (held === undefined) throw new Error('somebody has it');
    const old = { store, lease: held.lease };
    await renewLease({ ...old, seconds: 0.01 });
    await sleep(50);
    const next = await acquireRunLease({ store: other, ...key, holder: 'e', seconds: 60 });
    expect(next?.run.epoch).toBe(2);

    const [process] = await listRunProcesses({ store, ...key });
    if (process === undefined) throw new Error('a run has processes');
    const fenced = [
      renewLease({ ...old, seconds: 60 }),
      transitionRun({ ...old, from: 'pending', to: 'starting', reason: 'x' }),
      writeRunProcess({ ...old, process: { ...process, pid: 4711 } }),
      noteRunEvent({ ...old, kind: 'x', data: {} }),
    ];
    for (const result of await Promise.allSettled(fenced)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { name: 'LeaseLostError' } });
    }
    expect(await releaseLease(old)).toBe(false);
    expect(await findTrainingRun({ store, ...key })).toMatchObject({ state: 'pending', holder: 'e', epoch: 2 });
    expect((await listRunProcesses({ store, ...key })).map(({ pid }) => pid)).toEqual([null, null, null]);
    expect(
      await acquireRunLease({ store, ...key, holder: 'f', seconds: 1, isGone: (holder) => holder === 'e' }),
    ).toMatchObject({ lease: { epoch: 3 } });
  });

  it('goes through its states, each a link of its chain, and does not come back from the last', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const { tenantId, runId } = await create(store);
    const key = { store, tenantId, runId };
    const held = await acquireRunLease({ ...key, holder: 'a', seconds: 60 });
    if (held === undefined) throw new Error('nobody had it');
    const { lease } = held;
    const move = (from: RunState, to: RunState) => transitionRun({ store, lease, from, to, reason: 'test' });
    expect(await move('pending', 'starting')).toBe(true);
    expect(await move('pending', 'starting')).toBe(false);
    expect(() => move('starting', 'completed')).toThrow('does not go');
    expect(await move('starting', 'running')).toBe(true);
    expect(await requestRunStop({ ...key, reason: 'a person' })).toBe(true);
    expect(await requestRunStop({ ...key, reason: 'a person' })).toBe(false);
    // Writers of the same chain at once: each finds its place.
    await Promise.all(Array.from({ length: 8 }, (_, n) => noteRunEvent({ store, lease, kind: 'note', data: { n } })));
    expect(await move('running', 'stopping')).toBe(true);
    expect(await move('stopping', 'stopped')).toBe(true);
    expect(await listOpenRuns({ store })).toEqual([]);
    await expect(noteRunEvent({ store, lease, kind: 'late', data: {} })).rejects.toSatisfy(LeaseLostError.isInstance);
    expect(await acquireRunLease({ ...key, holder: 'b', seconds: 60 })).toBeUndefined();
    const events = await readEventPage(key);
    expect(verifyChain(events)).toMatchObject({ ok: true });
    expect(events.map(({ kind }) => kind).filter((kind) => kind !== 'note')).toEqual([
      ...['run-created', 'supervisor-changed', 'run-starting', 'run-running', 'stop-requested'],
      ...['run-stopping', 'run-stopped'],
    ]);
  });
});
