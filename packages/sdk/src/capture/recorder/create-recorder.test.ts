import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CaptureRecord } from '@lachesis/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { callDraft } from '../testing-records.fixture.ts';
import { createRecorder, type RecorderOptions } from './create-recorder.ts';
import { flushBeforeFreeze } from './open-recorders.ts';
import { inTrajectory } from './trajectory-scope.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'lachesis-recorder-'));
});

afterEach(() => rm(home, { recursive: true, force: true }));

/** A server that keeps what it is sent, or answers as it is told. */
function fakeServer(answer?: (records: CaptureRecord[]) => Response | undefined) {
  const records: CaptureRecord[] = [];
  const send: typeof fetch = async (_input, init) => {
    const body = JSON.parse(init?.body as string) as { records: CaptureRecord[] };
    const refused = answer?.(body.records);
    if (refused !== undefined) return refused;
    records.push(...body.records);
    const receipts = body.records.map(({ record_id }) => ({
      ...{ record_id, trajectory_id: 't', turn_index: 0, is_repeat: false },
    }));
    return Response.json({ receipts });
  };
  return { records, send };
}

const refusal = (status: number, code: string) => Response.json({ error: { code, message: 'no' } }, { status });

const open = (options: RecorderOptions) => createRecorder({ home, env: {}, name: 'app', ...options });

const numbered = (records: readonly CaptureRecord[]) =>
  records.map(({ trajectory, sequence }) => `${trajectory}/${sequence}`);

test('records go to the server with numbers of their own for each trajectory', async () => {
  const { records, send } = fakeServer();
  const recorder = open({ url: 'http://control', fetch: send, tags: ['a'] });
  recorder.record(callDraft());
  recorder.record(callDraft({ trajectory: 'x' }));
  recorder.record(callDraft());
  inTrajectory({ trajectory: 'x', user: 'ann', tags: ['b'] }, () => recorder.record(callDraft()));
  await recorder.flush();
  expect(numbered(records)).toEqual(['null/0', 'x/0', 'null/1', 'x/1']);
  expect(records.at(-1)).toMatchObject({ user: 'ann', tags: ['a', 'b'], consent: 'train', recorder: 'app' });
  await recorder.close();
});

test('without a server records stay in the outbox, redacted', async () => {
  const recorder = open({ env: { MY_API_KEY: 'abcdef-123456' } });
  recorder.record(callDraft({ messages: [{ role: 'user', content: 'my key is abcdef-123456' }] }));
  const text = await readFile(path.join(home, 'outbox', 'app', '0.jsonl'), 'utf8');
  expect(text).toContain('my key is [redacted:secret]');
  await recorder.close();
});

test('while the server is away records wait on disk, and the next process brings them', async () => {
  const problems: Error[] = [];
  const away = open({
    url: 'http://control',
    fetch: () => Promise.reject(new Error('gone')),
    onProblem: (e) => problems.push(e),
  });
  away.record(callDraft());
  await expect(away.flush()).rejects.toThrow('gone');
  await away.close();
  const { records, send } = fakeServer();
  const next = open({ url: 'http://control', fetch: send, name: 'app-2' });
  next.record(callDraft());
  await next.flush();
  expect(records.map(({ recorder }) => recorder)).toEqual(['app', 'app-2']);
  expect(await readdir(path.join(home, 'outbox'))).toEqual([]);
  expect(problems).toHaveLength(1);
  await next.close();
});

test('a record the server will never take is put aside and said once', async () => {
  const problems: Error[] = [];
  const { records, send } = fakeServer((batch) =>
    batch.some(({ sequence }) => sequence === 1) ? refusal(422, 'invalid') : undefined,
  );
  const recorder = open({ url: 'http://control', fetch: send, onProblem: (problem) => problems.push(problem) });
  for (let count = 0; count < 3; count += 1) recorder.record(callDraft());
  await recorder.flush();
  expect(numbered(records)).toEqual(['null/0', 'null/2']);
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('1 records were refused by control'),
  ]);
  await recorder.close();
});

test('a token that is not accepted loses nothing', async () => {
  const recorder = open({
    url: 'http://control',
    fetch: fakeServer(() => refusal(401, 'unauthorized')).send,
    onProblem: () => {},
  });
  recorder.record(callDraft());
  await expect(recorder.flush()).rejects.toThrow('401');
  const { records, send } = fakeServer();
  const next = open({ url: 'http://control', fetch: send, name: 'app-2' });
  await next.flush();
  expect(records).toHaveLength(1);
  await Promise.all([recorder.close(), next.close()]);
});

test('what is left out by consent is written nowhere', async () => {
  const recorder = open({});
  expect(recorder.record(callDraft({ consent: 'none' }))).toBeUndefined();
  expect(await readdir(home)).toEqual([]);
  await recorder.close();
});

test('without a disk records wait in memory until they are flushed', async () => {
  const { records, send } = fakeServer();
  const recorder = open({ url: 'http://control', fetch: send, outbox: false, sendAfterMs: 60_000 });
  recorder.record(callDraft());
  await flushBeforeFreeze();
  expect(records).toHaveLength(1);
  expect(await readdir(home)).toEqual([]);
  await recorder.close();
  expect(() => open({ outbox: false })).toThrow('neither a disk nor a server');
});

test('an application is never failed by its recorder', async () => {
  const problems: Error[] = [];
  const recorder = open({ home: import.meta.filename, onProblem: (problem) => problems.push(problem) });
  expect(recorder.record(callDraft())).toBeUndefined();
  expect(problems[0]?.message).toContain('ENOTDIR');
  await recorder.close();
});
