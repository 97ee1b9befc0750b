import { sql } from 'kysely';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openFileBlobs } from '../blobs/file-blobs.ts';
import { describeOnEachDialect, type TestTarget } from '../testing/test-stores.fixture.ts';
import {
  adoptWork,
  forgetWorkJob,
  pauseRequests,
  readRequestPause,
  reserveRequests,
  retryFailedWork,
} from './change-work.ts';
import { createWorkJob, digestInputs, extendWorkJob } from './create-work-job.ts';
import { listWorkFailures, listWorkJobs } from './list-work-jobs.ts';
import { countWork, findWorkJob, findWorkWait, iterateWork, readWorkTurns } from './read-work.ts';
import { acquireWork, releaseGoneWork, renewWork } from './lease-work.ts';
import type { LeasedWork, JobRef } from './work-job.ts';
import { failWork, finishWork, recordWorkTurn, releaseWork } from './write-work.ts';

const inputs = ['a', 'b', 'a', 'd', 'e'].map((prompt) => ({ prompt }));

async function open(target: TestTarget): Promise<JobRef & AsyncDisposable> {
  const directory = await mkdtemp(join(tmpdir(), 'lachesis-work-'));
  return {
    store: await target.open(),
    blobs: openFileBlobs({ directory }),
    ...{ tenantId: 't', name: 'job' },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

const mine = { holder: 'me', leaseSeconds: 60 };
const ended = { leaseSeconds: 0 };

async function acquireOne(place: JobRef, holder = 'me', leaseSeconds = 60): Promise<LeasedWork> {
  const [item] = await acquireWork({ ...place, holder, leaseSeconds, count: 1 });
  if (item === undefined) throw new Error('nothing to lease');
  return item;
}

const failure = { reason: 'away', cost: 0, restMs: 0, isLast: false, isStartingOver: false };

describeOnEachDialect('work', (createTarget) => {
  it('is handed out once, in order, and equal inputs are items of their own', async () => {
    await using target = await createTarget();
    await using place = await open(target);
    await createWorkJob({ ...place, settings: { model: 'm' }, inputs });
    const claims = await Promise.all(
      [1, 2, 3].map((n) => acquireWork({ ...place, ...mine, holder: `w${n}`, count: 2 })),
    );
    expect(new Set(claims.flat().map(({ index }) => index))).toEqual(new Set([0, 1, 2, 3, 4]));
    expect(claims.flat().map(({ input }) => input)).toHaveLength(5);
    expect(await acquireWork({ ...place, ...mine, count: 9 })).toEqual([]);
    expect(await findWorkJob(place)).toMatchObject({ itemCount: 5, settings: { model: 'm' } });
    await expect(createWorkJob({ ...place, settings: {}, inputs })).rejects.toThrow('exists already');
  });

  it('is planned by how many items there are from its first claim on', async () => {
    await using target = await createTarget();
    await using place = await open(target);
    const many = Array.from({ length: 400 }, (_, index) => ({ index }));
    const countRows = async (): Promise<number | undefined> => {
      if (target.dialect !== 'postgres') return undefined;
      const { rows } = await sql<{ count: number }>`
        select reltuples as count from pg_class where oid = 'work_items'::regclass`.execute(place.store.db);
      return rows[0]?.count;
    };
    await createWorkJob({ ...place, settings: {}, inputs: many.slice(0, 200) });
    expect(await countRows()).toBe(target.dialect === 'postgres' ? 200 : undefined);
    const job = await findWorkJob(place);
    if (job === undefined) throw new Error('there is no job');
    await extendWorkJob({ ...place, inputs: many, job });
    expect(await countRows()).toBe(target.dialect === 'postgres' ? 400 : undefined);
  });

  it('goes to the next one when a lease has run out, and what the former holder writes has no effect', async () => {
    await using target = await createTarget();
    await using place = await open(target);
    await createWorkJob({ ...place, settings: {}, inputs: inputs.slice(0, 1) });
    const old = await acquireOne(place, 'old', ended.leaseSeconds);
    const item = await acquireOne(place, 'new');
    expect(item).toMatchObject({ index: 0, attempt: 1, epoch: old.epoch + 1 });
    expect(await renewWork({ ...place, ...mine, holder: 'old' })).toEqual(new Map());
    const turn = { turnIndex: 0, turn: { text: 'late' }, cost: 1, leaseSeconds: 60 };
    const late = [
      recordWorkTurn({ ...place, item: old, ...turn }),
      finishWork({ ...place, item: old, state: 'done', result: 'late', cost: 1 }),
      failWork({ ...place, item: old, ...failure }),
    ];
    for (const result of await Promise.allSettled(late)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { name: 'LeaseLostError' } });
    }
    expect(await releaseWork({ ...place, item: old })).toBe(false);
    await finishWork({ ...place, item, state: 'done', result: 'right', cost: 0.5 });
    expect(await countWork(place)).toMatchObject({ done: 1, leased: 0, cost: 0.5 });
    expect(await findWorkWait(place)).toBeUndefined();
  });

  it('keeps turns with their cost for whoever goes on, also after a failure that was not the conversation’s', async () => {
    await using target = await createTarget();
    await using place = await open(target);
    await createWorkJob({ ...place, settings: {}, inputs: inputs.slice(0, 1) });
    const long = 'x'.repeat(10) + Array.from({ length: 60_000 }, (_, at) => (at * 7919) % 99_991).join('');
    let item = await acquireOne(place);
    for (const [turnIndex, text] of ['one', long].entries()) {
      await recordWorkTurn({ ...place, item, turnIndex, turn: { text }, cost: 0.25, leaseSeconds: 60 });
    }
    // Told once more, because the answer was lost, it is there once.
    const again = { turnIndex: 1, turn: { text: long }, cost: 0.25, leaseSeconds: 60 };
    await recordWorkTurn({ ...place, item, ...again });
    await failWork({ ...place, item, ...failure });
    item = await acquireOne(place);
    expect(item).toMatchObject({ attempt: 2, conversation: 1, cost: 0.5 });
    expect(await readWorkTurns({ ...place, item })).toEqual([{ text: 'one' }, { text: long }]);
    await failWork({ ...place, item, ...failure, isStartingOver: true });
    item = await acquireOne(place);
    expect(item).toMatchObject({ attempt: 3, conversation: 3 });
    expect(await readWorkTurns({ ...place, item })).toEqual([]);
    await releaseWork({ ...place, item });
    item = await acquireOne(place);
    expect(item).toMatchObject({ attempt: 3 });
    const { db } = place.store;
    const countReferences = () =>
      db.selectFrom('blob_references').select('digest').where('reference_count', '>', 0).execute();
    expect(await countReferences()).toHaveLength(1);
    // What is done has its result; what led to it takes no room any more.
    await finishWork({ ...place, item, state: 'done', result: 'all of it', cost: 0 });
    expect(await db.selectFrom('work_turns').select('turn_index').execute()).toEqual([]);
    expect(await countReferences()).toEqual([]);
  });

  it('rests between attempts, stays failed after the last, and is ready again when more are allowed', async () => {
    await using target = await createTarget();
    await using place = await open(target);
    await createWorkJob({ ...place, settings: {}, inputs: inputs.slice(0, 1) });
    await failWork({ ...place, item: await acquireOne(place), ...failure, restMs: 60_000 });
    expect(await acquireWork({ ...place, ...mine, count: 1 })).toEqual([]);
    expect(await findWorkWait(place)).toBeGreaterThan(50_000);
    await target.open().then(({ db }) => db.updateTable('work_items').set({ ready_at: 0 }).execute());
    await failWork({ ...place, item: await acquireOne(place), ...failure, isLast: true, reason: 'still away' });
    expect(await retryFailedWork({ ...place, maxAttempts: 2 })).toBe(0);
    const [item] = await Array.fromAsync(iterateWork({ ...place, states: ['failed'] }));
    expect(item).toMatchObject({ index: 0, attempt: 2, reason: 'still away', input: { prompt: 'a' }, result: null });
    expect(await retryFailedWork({ ...place, maxAttempts: 3 })).toBe(1);
    expect(await acquireOne(place)).toMatchObject({ attempt: 3, conversation: 3 });
  });

  it('comes back at once from holders that are known to be gone', async () => {
    await using target = await createTarget();
    await using place = await open(target);
    await createWorkJob({ ...place, settings: {}, inputs });
    await acquireWork({ ...place, ...mine, holder: 'gone', count: 2 });
    await acquireWork({ ...place, ...mine, holder: 'here', count: 1 });
    expect(await releaseGoneWork({ ...place, isGone: (holder) => holder === 'gone' })).toBe(2);
    expect(await countWork(place)).toMatchObject({ ready: 4, leased: 1 });
  });

  it('grows behind what is there, adopts what others did, and can be forgotten', async () => {
    await using target = await createTarget();
    await using place = await open(target);
    await createWorkJob({ ...place, settings: {}, inputs: inputs.slice(0, 3) });
    const job = await findWorkJob(place);
    expect(job?.inputDigest).toBe(digestInputs(inputs, 3));
    await extendWorkJob({ ...place, inputs, job: job! });
    await adoptWork({ ...place, index: 4, result: { from: 'elsewhere' } });
    const items = await Array.fromAsync(iterateWork({ ...place, from: 2, to: 5 }));
    expect(items.map(({ index, state }) => [index, state])).toEqual([
      [2, 'ready'],
      [3, 'ready'],
      [4, 'done'],
    ]);
    await forgetWorkJob(place);
    expect(await findWorkJob(place)).toBeUndefined();
    expect(await countWork(place)).toMatchObject({ ready: 0, done: 0 });
  });

  it('has one row of requests for all, and all wait when a server asks for it', async () => {
    await using target = await createTarget();
    await using place = await open(target);
    await createWorkJob({ ...place, settings: {}, inputs });
    const waits = [];
    for (let n = 0; n < 3; n += 1) waits.push(await reserveRequests({ ...place, count: 2, intervalMs: 5_000 }));
    expect(waits[0]).toBeLessThan(100);
    expect(waits[1]).toBeGreaterThan(9_000);
    expect(waits[2]).toBeGreaterThan(19_000);
    await pauseRequests({ ...place, ms: 1 });
    expect(await readRequestPause(place)).toBeGreaterThan(25_000);
    await pauseRequests({ ...place, ms: 60_000 });
    expect(await readRequestPause(place)).toBeGreaterThan(50_000);
  });

  it('is listed with how far it is, the newest first and by its tenant alone, in one query', async () => {
    await using target = await createTarget();
    await using place = await open(target);
    const { store, tenantId } = place;
    for (const [index, name] of ['old', 'twin-b', 'twin-a', 'empty'].entries()) {
      const given = name === 'empty' ? [] : inputs;
      await createWorkJob({ ...place, name, settings: { system_prompt: 'a secret' }, inputs: given });
      // Two of them in the same millisecond.
      const createdAt = [1_000, 2_000, 2_000, 3_000][index] ?? 0;
      await store.db.updateTable('work_jobs').set({ created_at: createdAt }).where('name', '=', name).execute();
    }
    await createWorkJob({ ...place, tenantId: 'other', name: 'old', settings: {}, inputs });
    const old = { ...place, name: 'old' };
    const done = await acquireOne(old);
    await finishWork({ ...old, item: done, state: 'done', result: 'text', cost: 0.5 });
    const discarded = await acquireOne(old);
    await finishWork({ ...old, item: discarded, state: 'discarded', result: 'text', cost: 0.25 });
    for (const reason of ['first', 'second']) {
      await failWork({ ...old, item: await acquireOne(old), ...failure, reason, isLast: true });
    }
    const running = await acquireOne(old);

    let queries = 0;
    const counted = {
      ...store,
      db: store.db.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => ((queries += 1), result),
      }),
    };
    const jobs = await listWorkJobs({ store: counted, tenantId, limit: 10 });
    expect(queries).toBe(1);
    expect(jobs.map(({ name }) => name)).toEqual(['empty', 'twin-a', 'twin-b', 'old']);
    const none = { ready: 0, leased: 0, done: 0, discarded: 0, failed: 0, cost: 0 };
    expect(jobs[0]).toMatchObject({ itemCount: 0, counts: none, isWorkedOn: false, createdAt: 3_000 });
    expect(jobs[1]).toMatchObject({ itemCount: 5, counts: { ...none, ready: 5 }, isWorkedOn: false });
    expect(jobs[3]).toEqual({
      ...{ name: 'old', itemCount: 5, isWorkedOn: true, createdAt: 1_000, changedAt: expect.any(Number) },
      counts: { ...none, leased: 1, done: 1, discarded: 1, failed: 2, cost: 0.75 },
    });
    expect(JSON.stringify(jobs)).not.toMatch(/secret|text/);

    const page = await listWorkJobs({ store, tenantId, limit: 2 });
    expect(page).toEqual(jobs.slice(0, 2));
    // The next page begins behind one of the same time.
    expect(await listWorkJobs({ store, tenantId, before: page[1], limit: 2 })).toEqual(jobs.slice(2));
    expect(await listWorkJobs({ store, tenantId, name: 'old', limit: 1 })).toEqual([jobs[3]]);
    expect(await listWorkJobs({ store, tenantId: 'nobody', limit: 10 })).toEqual([]);

    expect(await listWorkFailures({ ...old, limit: 1 })).toEqual([{ index: 2, attempt: 1, reason: 'first' }]);
    expect(await listWorkFailures({ ...old, limit: 9 })).toHaveLength(2);
    expect(await listWorkFailures({ ...old, tenantId: 'other', limit: 9 })).toEqual([]);

    // Whose lease ran out works on nothing any more.
    await renewWork({ ...old, holder: running.holder, ...ended });
    const [later] = await listWorkJobs({ store, tenantId, name: 'old', limit: 1 });
    expect(later).toMatchObject({ isWorkedOn: false, counts: { leased: 1 } });
  });
});
