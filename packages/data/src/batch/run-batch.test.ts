import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRedactor } from '@lachesis/protocol';
import { listTrajectories, listWorkFailures, openWork, recordCaptures } from '@lachesis/store';
import { parquetReadObjects } from 'hyparquet';
import { expect, it } from 'vitest';
import { readParquet } from '../import/parquet/read-parquet.ts';
import { BatchError } from './batch-error.ts';
import { makeAgent, makeAnswer, openBatchWorld } from './batch-world.fixture.ts';
import type { RunBatchOptions } from './run-batch.ts';

const indexes = (rows: Record<string, unknown>[]): unknown[] => rows.map((row) => row['prompt_index']);

it('keeps a row for every prompt, equal ones too, in the order of the prompts and in the files Hermes has', async () => {
  await using world = await openBatchWorld();
  const { counts, statistics } = await world.run(makeAgent());
  expect(counts).toMatchObject({ done: 5, ready: 0, leased: 0 });
  expect(indexes(await world.readLines('trajectories.jsonl'))).toEqual([0, 1, 2, 3, 4]);
  expect(indexes(await world.readLines('batch_1.jsonl'))).toEqual([2, 3]);
  const [row] = await world.readLines('batch_0.jsonl');
  expect(Object.keys(row ?? {})).toEqual([
    ...['prompt_index', 'conversations', 'metadata', 'completed', 'partial', 'api_calls', 'toolsets_used'],
    ...['tool_stats', 'tool_error_counts'],
  ]);
  const checkpoint = JSON.parse(await readFile(join(world.directory, 'checkpoint.json'), 'utf8')) as object;
  expect(Object.keys(checkpoint)).toEqual([
    ...['run_name', 'completed_prompts', 'batch_stats', 'last_updated', 'failed_prompts'],
  ]);
  expect(checkpoint).toMatchObject({ completed_prompts: [0, 1, 2, 3, 4] });
  expect(Object.keys(statistics ?? {}).slice(0, 10)).toEqual([
    ...['run_name', 'distribution', 'total_prompts', 'total_batches', 'batch_size', 'model', 'completed_at'],
    ...['duration_seconds', 'tool_statistics', 'reasoning_statistics'],
  ]);
  expect(statistics).toMatchObject({ total_prompts: 5, total_batches: 3, costs: { total: 0.05, unknown: 0 } });
  const parquet = new Uint8Array(await readFile(join(world.directory, 'trajectories.parquet'))).buffer;
  const records = await Array.fromAsync(readParquet(parquet));
  expect(records).toHaveLength(5);
  const [first] = await parquetReadObjects({ file: parquet });
  expect(first?.['conversations']).toEqual(row?.['conversations']);
  expect(JSON.parse(String(first?.['tool_stats']))).toEqual(row?.['tool_stats']);
  expect(await readFile(join(world.directory, 'report.html'), 'utf8')).toContain('<svg');
});

it('refuses a name that is taken, and costs nothing when it is resumed after its end', async () => {
  await using world = await openBatchWorld();
  await world.run(makeAgent());
  const again = makeAgent();
  await expect(world.run(again)).rejects.toThrow('--resume');
  const { counts } = await world.run(again, { isResuming: true });
  expect(again.asked).toEqual([]);
  expect(counts.done).toBe(5);
  await world.run(again, { isResuming: true, prompts: ['a', 'b', 'a', 'd', 'e', 'f'] });
  expect(again.asked).toEqual([5]);
  await expect(world.run(again, { isResuming: true, prompts: ['z', 'b', 'a', 'd', 'e', 'f'] })).rejects.toThrow(
    'not those it was begun with',
  );
});

it('tries what fails again, records what stays failed with its reason, and takes it up when more attempts are allowed', async () => {
  await using world = await openBatchWorld();
  const agent = makeAgent((task) => {
    if (task.index === 1 && task.attempt < 2) throw new Error('hiccup');
    if (task.index === 3) throw new BatchError({ kind: 'attempt', what: 'always wrong', cost: 0.5 });
    return makeAnswer(task);
  });
  const { counts } = await world.run(agent, { settings: { max_attempts: 2 }, clock: quickClock });
  expect(counts).toMatchObject({ done: 4, failed: 1 });
  expect(counts.cost).toBeCloseTo(0.04 + 1);
  expect(agent.asked.filter((index) => index === 3)).toHaveLength(2);
  expect(await world.readLines('failures.jsonl')).toMatchObject([
    { prompt_index: 3, attempts: 2, reason: 'always wrong' },
  ]);
  const next = makeAgent();
  await world.run(next, { isResuming: true, settings: { max_attempts: 2 } });
  expect(next.asked).toEqual([]);
  const { counts: after } = await world.run(next, { isResuming: true, settings: { max_attempts: 3 } });
  expect(next.asked).toEqual([3]);
  expect(after).toMatchObject({ done: 5, failed: 0 });
  expect(indexes(await world.readLines('batch_1.jsonl'))).toEqual([2, 3]);
});

it('explains: why prompts failed first, when rows came and what they cost, which rows to read, tokens that were counted', async () => {
  await using world = await openBatchWorld();
  const agent = makeAgent((task) => {
    if (task.index === 3) throw new BatchError({ kind: 'attempt', what: 'always <wrong>', cost: 0 });
    const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    return makeAnswer(task, task.index === 1 ? { usage } : { cost: task.index === 0 ? 0.5 : 0.01 });
  });
  const { statistics } = await world.run(agent, { settings: { max_attempts: 1 }, clock: quickClock });
  expect(statistics?.failure_reasons).toEqual({ 'always <wrong>': 1 });
  expect(statistics?.lengths.tokens).toMatchObject({ count: 3, mean: 15, min: 15 });
  expect(statistics?.timeline.reduce((sum, { kept }) => sum + kept, 0)).toBe(4);
  expect(statistics?.timeline.reduce((sum, { cost }) => sum + cost, 0)).toBeCloseTo(0.53);
  expect(statistics?.rows_to_read.slice(0, 2)).toEqual([
    { prompt_index: 3, why: 'it failed: always <wrong>', prompt: 'd' },
    { prompt_index: 0, why: 'it cost $0.5000', prompt: 'a' },
  ]);
  const page = await readFile(join(world.directory, 'report.html'), 'utf8');
  const places = ['Why prompts have no row', 'always &lt;wrong&gt;', 'Over time', 'Rows to read', 'What happened'];
  const found = places.map((text) => page.indexOf(text));
  expect(found).toEqual(found.toSorted((left, right) => left - right));
  expect(found[0]).toBeGreaterThan(0);
});

it('brings every conversation into the library once, failures with their reason, under its own source', async () => {
  await using world = await openBatchWorld();
  const { store, blobs, tenantId } = world.place;
  const agent = makeAgent((task) => {
    if (task.index === 3) throw new BatchError({ kind: 'attempt', what: 'always wrong', cost: 0.5 });
    return makeAnswer(task);
  });
  const record: RunBatchOptions['record'] = (records) => recordCaptures({ store, blobs, tenantId, records });
  const options = { record, settings: { max_attempts: 1 }, clock: quickClock };
  const { recorded } = await world.run(agent, options);
  expect(recorded).toEqual({ source: 'batch:run', conversations: 5 });
  const list = async () =>
    (await listTrajectories({ store, tenantId, filter: { source: 'batch:run' }, limit: 50, order: 'oldest' }))
      .trajectories;
  const found = await list();
  expect(found.map(({ title }) => title)).toEqual(['a', 'b', 'a', 'd', 'e']);
  expect(found.map(({ outcome }) => outcome)).toEqual(['finished', 'finished', 'finished', 'failed', 'finished']);
  expect(found[3]).toMatchObject({ reason: 'always wrong', error_count: 1, model: 'm' });
  expect(found[0]).toMatchObject({ cost: 0.01, token_count: 15, completion_tokens: 5, turn_count: 1 });
  // Gone on with, it brings nothing twice.
  await world.run(makeAgent(), { ...options, isResuming: true });
  expect(await list()).toHaveLength(5);
});

it('keeps no secret in the reason of a failure, also where it is cut', async () => {
  await using world = await openBatchWorld();
  const secret = 'sesame-4711-open';
  const agent = makeAgent(({ index }) => {
    throw new Error(index === 0 ? `the key ${secret} is refused` : `${'x '.repeat(495)}${secret}`);
  });
  const redactor = createRedactor({ secrets: [secret] });
  const given = { settings: { max_attempts: 1 }, prompts: ['a', 'b'], redactor };
  const told: string[] = [];
  await world.run(agent, { ...given, onEvent: (event) => void told.push(JSON.stringify(event)) });
  const { store, tenantId, name } = world.place;
  const failures = await listWorkFailures({ store, tenantId, name, limit: 9 });
  expect(failures).toHaveLength(2);
  for (const text of [JSON.stringify(failures), told.join(), JSON.stringify(await world.readLines('failures.jsonl'))]) {
    expect(text).not.toContain('sesame');
  }
});

it('discards rows without any reasoning, and keeps what they were', async () => {
  await using world = await openBatchWorld();
  const agent = makeAgent((task) => {
    const answer = makeAnswer(task);
    if (task.index === 2) delete answer.messages[1]?.reasoning_content;
    return answer;
  });
  const { counts, statistics } = await world.run(agent);
  expect(counts).toMatchObject({ done: 4, discarded: 1 });
  expect(statistics?.outcomes).toEqual({ done: 4, discarded: 1, failed: 0, open: 0 });
  expect(indexes(await world.readLines('trajectories.jsonl'))).toEqual([0, 1, 3, 4]);
  expect(indexes(await world.readLines('discarded.jsonl'))).toEqual([2]);
  await world.run(makeAgent(), { isResuming: true });
  expect((await openWork(world.place).count()).discarded).toBe(1);
});

it('stops for all when no other prompt would do better, and goes on from there', async () => {
  await using world = await openBatchWorld();
  const agent = makeAgent((task) => {
    if (task.index >= 2) throw new BatchError({ kind: 'stop', what: 'the key is refused' });
    return makeAnswer(task);
  });
  await expect(world.run(agent, { concurrency: 1 })).rejects.toThrow('the key is refused');
  expect(await openWork(world.place).count()).toMatchObject({ done: 2, ready: 3, leased: 0, failed: 0 });
  const { counts } = await world.run(makeAgent(), { isResuming: true });
  expect(counts.done).toBe(5);
});

it('ends in order: what is under way is finished or given back, and the rest is left', async () => {
  await using world = await openBatchWorld();
  const ending = new AbortController();
  const agent = makeAgent((task) => {
    if (task.index === 1) ending.abort();
    return makeAnswer(task);
  });
  const { counts, statistics } = await world.run(agent, { concurrency: 1, stopping: ending.signal });
  expect(statistics).toBeUndefined();
  expect(counts).toMatchObject({ done: 2, ready: 3, leased: 0 });
  expect(indexes(await world.readLines('batch_0.jsonl'))).toEqual([0, 1]);
});

it('keeps turns as they end, and hands them to whoever goes on', async () => {
  await using world = await openBatchWorld();
  const turn = {
    messages: [{ role: 'assistant', content: 'one' }],
    finish_reason: 'tool_calls',
    usage: null,
    cost: 0.2,
  };
  const first = makeAgent(async (task) => {
    await task.onTurn(turn);
    throw new BatchError({ kind: 'stop', what: 'the lights went out' });
  });
  await expect(world.run(first, { prompts: ['a'] })).rejects.toThrow('lights');
  const found: unknown[] = [];
  const { counts } = await world.run(
    makeAgent((task) => {
      found.push(...task.turns);
      return makeAnswer(task, { cost: 0.3 });
    }),
    { prompts: ['a'], isResuming: true },
  );
  expect(found).toEqual([turn]);
  // The turn was paid for once: the item costs what all of it came to.
  expect(counts.cost).toBeCloseTo(0.3);
});

it('takes over what another runner completed in the folder, by index and question', async () => {
  await using world = await openBatchWorld();
  const row = (index: number, question: string, completed = true): string =>
    `${JSON.stringify({
      prompt_index: index,
      conversations: [
        { from: 'human', value: question },
        { from: 'gpt', value: '<think>\nx\n</think>\ny' },
      ],
      metadata: {},
      completed,
      partial: false,
      api_calls: 1,
      toolsets_used: [],
      tool_stats: {},
      tool_error_counts: {},
    })}\n`;
  await mkdir(world.directory, { recursive: true });
  await writeFile(
    join(world.directory, 'batch_0.jsonl'),
    `${row(0, 'a')}${row(1, 'another question')}${row(3, 'd', false)}{"cut": of`,
  );
  const agent = makeAgent();
  await expect(world.run(agent)).rejects.toThrow('--resume');
  await world.run(agent, { isResuming: true });
  expect(new Set(agent.asked)).toEqual(new Set([1, 2, 3, 4]));
  const items = await Array.fromAsync(openWork(world.place).iterate({ states: ['done'] }));
  expect(items).toHaveLength(5);
  expect(indexes(await world.readLines('trajectories.jsonl'))).toEqual([0, 1, 2, 3, 4]);
});

/** Rests between attempts are not waited for: the database's clock decides, and it is asked again at once. */
const quickClock = {
  now: () => performance.now(),
  sleep: (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, 1_000));
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};
