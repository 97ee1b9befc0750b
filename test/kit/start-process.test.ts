import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { findParentPid, listChildPids, readProcessTree } from './read-process-tree.ts';
import { startProcess } from './start-process.ts';

const node = process.execPath;

describe('startProcess', () => {
  it('keeps what the process prints and hands on whole lines', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lachesis-kit-'));
    const lines: string[] = [];
    const script = 'process.stdout.write("one\\ntw"); console.error("aside"); process.stdout.write("o\\nend")';
    await using child = await startProcess({
      command: node,
      args: ['-e', script],
      logFile: join(folder, 'log'),
      onLine: (line) => lines.push(line),
    });
    expect(await child.exited).toEqual({ code: 0, signal: null });
    // The pipes may be read after the exit is known.
    await expect.poll(() => lines).toEqual(['one', 'two', 'end']);
    await expect.poll(() => child.logs()).toContain('aside');
    await expect.poll(() => readFile(join(folder, 'log'), 'utf8')).toContain('end');
    await rm(folder, { recursive: true });
  });

  it('kills what does not end in time, once for all who ask', async () => {
    const script = 'process.on("SIGTERM", () => {}); console.log("deaf"); setInterval(() => {}, 1000)';
    const deaf = Promise.withResolvers<void>();
    const child = await startProcess({ command: node, args: ['-e', script], onLine: () => deaf.resolve() });
    await deaf.promise;
    const [first, second] = await Promise.all([child.stop({ graceMs: 100 }), child.stop()]);
    expect(first.signal).toBe('SIGKILL');
    expect(second).toBe(first);
    expect(child.signal('SIGTERM')).toBe(false);
  });

  it('says which program is missing', async () => {
    await expect(startProcess({ command: 'no-such-program-here' })).rejects.toThrow(/no-such-program-here/);
  });
});

describe('readProcessTree', () => {
  it('sums a process and its descendants', async () => {
    const script = `
      const { spawn } = require('node:child_process');
      spawn(process.execPath, ['-e', 'console.log("up"); setInterval(() => {}, 1000)'], { stdio: 'inherit' });
      setInterval(() => {}, 1000);`;
    const up = Promise.withResolvers<void>();
    await using parent = await startProcess({ command: node, args: ['-e', script], onLine: () => up.resolve() });
    await up.promise;
    const tree = readProcessTree(parent.pid);
    const [child] = listChildPids(parent.pid);
    expect(tree.pids).toEqual([parent.pid, child]);
    expect(findParentPid(child ?? 0)).toBe(parent.pid);
    expect(tree.rssBytes).toBeGreaterThan(40 * 2 ** 20);
    expect(tree.cpuSeconds).toBeGreaterThan(0);
    process.kill(child ?? 0, 'SIGKILL');
  });

  it('finds nothing under a pid that is not there', () => {
    expect(readProcessTree(2 ** 30)).toEqual({ pids: [], rssBytes: 0, cpuSeconds: 0 });
    expect(findParentPid(2 ** 30)).toBeUndefined();
  });
});
