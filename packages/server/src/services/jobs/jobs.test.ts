import { createRedactor, jobSchemas } from '@lachesis/protocol';
import { openHome, openWork, type JobRef, type Store } from '@lachesis/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listJobs, showJob } from './jobs.ts';

const redactor = createRedactor({ secrets: ['sesame-4711-open'] });
const lease = { holder: 'me', leaseSeconds: 60 };

interface Bench extends AsyncDisposable {
  store: Store;
  tenantId: string;
  make(name: string, options?: { items?: number; tenantId?: string }): Promise<JobRef>;
}

async function openBench(): Promise<Bench> {
  const home = await mkdtemp(join(tmpdir(), 'lachesis-jobs-'));
  const { store, blobs } = await openHome({ home });
  return {
    ...{ store, tenantId: 'a' },
    async make(name, { items = 2, tenantId = 'a' } = {}) {
      const ref = { store, blobs, tenantId, name };
      const inputs = Array.from({ length: items }, (_, index) => ({ prompt: `private question ${index}` }));
      const settings = { ephemeral_system_prompt: 'a private prompt', agent_command: 'run --key private' };
      await openWork(ref).create({ settings, inputs });
      return ref;
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(home, { recursive: true });
    },
  };
}

/** Lets the next items of a job fail for good. */
async function fail(ref: JobRef, count: number, reason: (index: number) => string): Promise<void> {
  const job = openWork(ref);
  for (const item of await job.acquire({ ...lease, count })) {
    await job.fail({ item, reason: reason(item.index), cost: 0.25, isLast: true, restMs: 0, isStartingOver: false });
  }
}

test('a job is told with how far it is and why items failed, and with nothing that went in or came out', async () => {
  await using bench = await openBench();
  const ref = await bench.make('my_run', { items: 30 });
  const [first] = await openWork(ref).acquire({ ...lease, count: 1 });
  await openWork(ref).finish({ item: first!, state: 'done', result: { text: 'private answer' }, cost: 0.5 });
  await fail(ref, 25, (index) => `the key sesame-4711-open was refused for ${index}`);
  const shown = await showJob({ ...bench, ref: 'my_run', redactor });
  expect(jobSchemas.detail.strict().parse(shown)).toEqual(shown);
  expect(shown).toMatchObject({
    ...{ name: 'my_run', item_count: 30, cost: 6.75, is_worked_on: false },
    counts: { ready: 4, leased: 0, done: 1, discarded: 0, failed: 25 },
  });
  // The first of them, in order.
  expect(shown.failures.map(({ index }) => index)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  expect(shown.failures[0]).toEqual({ index: 1, attempts: 1, reason: expect.stringMatching(/^the key \[.+\] was/) });
  expect(JSON.stringify(shown)).not.toMatch(/sesame|private/);
  await openWork(ref).acquire({ ...lease, count: 1 });
  const { jobs } = await listJobs({ ...bench, limit: 5 });
  expect(jobs).toMatchObject([{ is_worked_on: true, counts: { ready: 3, leased: 1 } }]);
  expect(JSON.stringify(jobs)).not.toMatch(/sesame|private|failures/);
});

test('jobs come in pages, the newest first', async () => {
  await using bench = await openBench();
  for (const [index, name] of ['first', 'second', 'third'].entries()) {
    await bench.make(name);
    await bench.store.db.updateTable('work_jobs').set({ created_at: index }).where('name', '=', name).execute();
  }
  const names = async (query: { limit: number; before?: string }) => {
    const { jobs, next } = await listJobs({ ...bench, ...query });
    return [jobs.map(({ name }) => name), next];
  };
  expect(await names({ limit: 2 })).toEqual([['third', 'second'], 'second']);
  expect(await names({ limit: 2, before: 'second' })).toEqual([['first'], null]);
  expect(await names({ limit: 3 })).toEqual([['third', 'second', 'first'], null]);
  expect(await names({ limit: 3, before: 'first' })).toEqual([[], null]);
  await expect(names({ limit: 3, before: 'nobody' })).rejects.toMatchObject({ code: 'not-found' });
});

test('one is found by its name or the beginning of it, by its tenant alone', async () => {
  await using bench = await openBench();
  for (const name of ['run', 'run_2', 'runs-of-may', '🙂-1']) await bench.make(name);
  await bench.make('run_3', { tenantId: 'b' });
  const find = async (ref: string, tenantId = 'a') => (await showJob({ ...bench, tenantId, ref, redactor })).name;
  // A name goes before what begins with it; no character stands for another.
  expect(await Promise.all(['run', 'run_', 'runs', '🙂'].map((ref) => find(ref)))).toEqual([
    ...['run', 'run_2', 'runs-of-may', '🙂-1'],
  ]);
  await expect(find('ru')).rejects.toMatchObject({
    ...{ code: 'conflict', message: '"ru" is the beginning of more than one name of a job' },
  });
  for (const ref of ['', '%', 'RUN', 'un_2', 'run_22', 'run_3']) {
    await expect(find(ref)).rejects.toMatchObject({ code: 'not-found' });
  }
  expect(await find('r', 'b')).toBe('run_3');
  await expect(find('run_2', 'b')).rejects.toMatchObject({ code: 'not-found' });
  expect((await listJobs({ ...bench, tenantId: 'b', limit: 9 })).jobs).toMatchObject([{ name: 'run_3' }]);
});
