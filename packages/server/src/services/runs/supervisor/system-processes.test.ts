import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isAlive } from './process-table.ts';
import { toTagVariables } from './process-tag.ts';
import { openSystemProcesses } from './system-processes.ts';

test.runIf(process.platform === 'linux')(
  'a process is started, found by its tag, known by the moment it began, and ended',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lachesis-processes-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const table = openSystemProcesses();
    const tag = { library: folder, tenantId: 't', runId: 'r', role: 'api', instanceId: 'i' } as const;
    const ended = Promise.withResolvers<unknown>();
    const { pid = 0 } = table.spawn({
      ...{ file: '/bin/sh', arguments: ['-c', 'echo said; sleep 60'], logPath: join(folder, 'a', 'x.log') },
      env: { PATH: process.env['PATH'], ...toTagVariables(tag, 'abcdefgh') },
      onExit: ended.resolve,
    });
    const started = table.readStart(pid) ?? null;
    expect(isAlive(table, { pid, pidStarted: started })).toBe(true);
    expect(isAlive(table, { pid, pidStarted: '1' })).toBe(false);
    const find = async () => (await table.list()).filter((process) => process.tag.library === folder);
    await expect.poll(async () => (await find()).find(({ isLeader }) => isLeader)).toMatchObject({ pid, started, tag });
    await expect.poll(() => readFile(join(folder, 'a', 'x.log'), 'utf8')).toBe('said\n');
    expect(table.signal(pid, 'SIGKILL', 'group')).toBe(true);
    expect(await ended.promise).toEqual({ code: null, signal: 'SIGKILL' });
    expect(isAlive(table, { pid, pidStarted: started })).toBe(false);
    await expect.poll(find).toEqual([]);
    expect(table.signal(pid, 'SIGKILL', 'process')).toBe(false);
  },
);

test.runIf(process.platform === 'linux')(
  'a holder is gone when its process is, and one of another machine never is',
  () => {
    const table = openSystemProcesses();
    const self = table.self();
    expect(table.isGone(self)).toBe(false);
    expect(table.isGone(self.replace(/[^/]*$/, '1'))).toBe(true);
    expect(table.isGone('elsewhere/pid:[1]/1/1')).toBe(false);
  },
);

test('a program that does not exist says so', async () => {
  const ended = Promise.withResolvers<{ error?: string }>();
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-processes-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const table = openSystemProcesses();
  const { pid } = table.spawn({
    ...{ file: '/no/such/program', arguments: [], env: {}, logPath: join(folder, 'x.log') },
    onExit: ended.resolve,
  });
  expect(pid).toBeUndefined();
  expect((await ended.promise).error).toContain('ENOENT');
});
