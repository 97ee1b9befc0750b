import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildProcess, spawn as nodeSpawn } from 'node:child_process';
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxProvider } from '../sandbox.ts';
import { createNamespaceProvider } from './create-namespace-provider.ts';

const STANDS_MS = 400;

describe('an entrance that stands ready', () => {
  const started: ChildProcess[] = [];
  let provider: SandboxProvider;
  let sandbox: Sandbox;
  beforeAll(async () => {
    const remember = ((...args: Parameters<typeof nodeSpawn>) => {
      const child = spawn(...args);
      started.push(child);
      return child;
    }) as typeof nodeSpawn;
    provider = createNamespaceProvider({ spawn: remember });
    sandbox = await provider.create({ owner: 'standby' });
  });
  afterAll(() => provider.close());

  it('is built between commands, and used by the next one', async () => {
    await sleep(STANDS_MS);
    // The holder, what furnished its world, and what stands.
    expect(started.length).toBe(3);
    expect((await sandbox.exec('echo in')).stdout).toBe('in\n');
    expect(started.length).toBe(3);
    await sleep(STANDS_MS);
    expect(started.length).toBe(4);
  });
  it('is not waited for by commands that come at once', async () => {
    await sleep(STANDS_MS);
    const before = started.length;
    const outputs = await Promise.all(['a', 'b', 'c'].map((word) => sandbox.exec(`echo ${word}`)));
    expect(outputs.map(({ stdout }) => stdout).join('')).toBe('a\nb\nc\n');
    expect(started.length).toBeGreaterThanOrEqual(before + 2);
  });
  it('is replaced when it ended while it stood', async () => {
    await sleep(STANDS_MS);
    started.at(-1)?.kill('SIGKILL');
    await sleep(50);
    expect((await sandbox.exec('echo again')).stdout).toBe('again\n');
  });
  it('sees the folder, the variables and the files of now, not of when it was built', async () => {
    await sandbox.exec('mkdir -p later');
    await sleep(STANDS_MS);
    await sandbox.writeFile('later/file', 'written since');
    await sleep(STANDS_MS);
    const { stdout } = await sandbox.exec('cat file; echo " $WHEN"', { cwd: 'later', env: { WHEN: 'now' } });
    expect(stdout).toBe('written since now\n');
  });
  it('tells a folder that is not there by the command, and keeps the sandbox', async () => {
    const result = await sandbox.exec('true', { cwd: 'nowhere' });
    expect(result).toMatchObject({ exitCode: 1, end: 'exited' });
    expect(result.stderr).toContain('nowhere');
    expect((await sandbox.exec('true')).exitCode).toBe(0);
  });
  it('is gone with its sandbox', async () => {
    const another = await provider.create({ owner: 'standby' });
    await sleep(STANDS_MS);
    const standing = started.at(-1);
    await another.destroy();
    await sleep(50);
    expect(standing?.exitCode ?? standing?.signalCode).not.toBeNull();
  });
});
