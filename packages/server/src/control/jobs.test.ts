import { openHome, openWork } from '@lachesis/store';
import { expect, test } from 'vitest';
import { createControlBench, makeToken, type ControlBench } from './bench.fixture.ts';

/** A job of tenant a of which one item failed with a reason that names a key of the server. */
async function makeJob({ home }: ControlBench, name: string): Promise<void> {
  await using opened = await openHome({ home });
  const { store, blobs } = opened;
  const job = openWork({ store, blobs, tenantId: 'a', name });
  await job.create({ settings: { agent_command: 'private' }, inputs: [{ prompt: 'private' }, { prompt: 'private' }] });
  const [item] = await job.acquire({ holder: 'me', leaseSeconds: 60, count: 1 });
  const reason = 'sesame-4711-open was refused';
  await job.fail({ item: item!, reason, cost: 0.5, isLast: true, restMs: 0, isStartingOver: false });
}

test('jobs are looked at by their tenant alone, without what went in and without secrets', async () => {
  await using bench = await createControlBench();
  const [a, b] = [await makeToken(bench.store, 'a', ['view']), await makeToken(bench.store, 'b', ['admin'])];
  await makeJob(bench, 'my_run');
  const { status, json, text } = await bench.call('GET', '/jobs', { token: a });
  const job = {
    name: 'my_run',
    item_count: 2,
    counts: { ready: 1, failed: 1, done: 0 },
    cost: 0.5,
    is_worked_on: false,
  };
  expect({ status, json }).toMatchObject({ status: 200, json: { jobs: [job], next: null } });
  for (const ref of ['my_run', 'my_r']) {
    const shown = await bench.call('GET', `/jobs/${ref}`, { token: a });
    expect(shown.json).toMatchObject({ ...job, failures: [{ index: 0, attempts: 1 }] });
    expect(`${text}${shown.text}`).not.toMatch(/sesame|private/);
    expect((await bench.call('GET', `/jobs/${ref}`, { token: b })).status).toBe(404);
  }
  expect((await bench.call('GET', '/jobs', { token: b })).json).toEqual({ jobs: [], next: null });
  expect((await bench.call('GET', '/jobs?before=my_run', { token: b })).status).toBe(404);
  expect((await bench.call('GET', '/jobs/my_run')).status).toBe(401);
});

test('a page is asked for by its size and by what it goes on behind', async () => {
  await using bench = await createControlBench();
  const token = await makeToken(bench.store, 'a', ['view']);
  for (const name of ['one', 'two']) await makeJob(bench, name);
  const first = (await bench.call('GET', '/jobs?limit=1', { token })).json as { jobs: unknown[]; next: string };
  expect(first.jobs).toHaveLength(1);
  const rest = await bench.call('GET', `/jobs?limit=1&before=${first.next}`, { token });
  expect(rest.json).toMatchObject({ jobs: [expect.anything()], next: null });
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'before=', 'model=m']) {
    expect((await bench.call('GET', `/jobs?${query}`, { token })).status).toBe(422);
  }
  expect((await bench.call('GET', '/jobs/o', { token })).json).toMatchObject({ name: 'one' });
});
