import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findControlGroupHome, openControlGroup } from './control-group.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-groups-'));
  for (const path of ['memory/a', 'pids', 'cpu', 'unified/service']) {
    await mkdir(join(folder, path), { recursive: true });
    await writeFile(join(folder, path, 'cgroup.procs'), '');
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('findControlGroupHome', () => {
  it('finds the own group of each controller in version 1', () => {
    const mounts = [
      `cgroup ${folder}/memory cgroup rw,memory 0 0`,
      `cgroup ${folder}/pids cgroup rw,pids 0 0`,
      `cgroup ${folder}/cpu cgroup rw,cpu,cpuacct 0 0`,
    ].join('\n');
    const own = '4:memory:/a\n8:pids:/\n2:cpu,cpuacct:/not-visible-here\n0::/';
    expect(findControlGroupHome({ mounts, own })).toEqual({
      ...{ version: 1, memory: `${folder}/memory/a`, pids: `${folder}/pids/`, cpu: `${folder}/cpu` },
    });
  });
  it('finds the one group of version 2', () => {
    const home = findControlGroupHome({ mounts: `none ${folder}/unified cgroup2 rw 0 0`, own: '0::/service' });
    expect(home).toMatchObject({ version: 2, memory: `${folder}/unified/service` });
  });
  it('makes groups of version 2 beside its own where the one above hands controllers on', async () => {
    const above = join(folder, 'user/app.slice');
    await mkdir(join(above, 'own.scope'), { recursive: true });
    for (const path of [above, join(above, 'own.scope')]) await writeFile(join(path, 'cgroup.procs'), '');
    await writeFile(join(above, 'cgroup.subtree_control'), 'cpu memory pids\n');
    const home = findControlGroupHome({
      ...{ mounts: `none ${folder}/user cgroup2 rw 0 0`, own: '0::/app.slice/own.scope' },
    });
    expect(home?.memory).toBe(above);
  });
  it('finds nothing where there is nothing', () => {
    expect(findControlGroupHome({ mounts: '', own: '' })).toBeUndefined();
  });
});

describe('openControlGroup', () => {
  it('writes the limits of version 2 under their names there', async () => {
    const home = {
      version: 2,
      memory: join(folder, 'unified'),
      pids: join(folder, 'unified'),
      cpu: join(folder, 'unified'),
    } as const;
    const group = openControlGroup({ home, name: 'one', memoryBytes: 1000.5, processes: 7 });
    expect(await readFile(join(folder, 'unified/one/memory.max'), 'utf8')).toBe('1001');
    expect(await readFile(join(folder, 'unified/one/pids.max'), 'utf8')).toBe('7');
    await writeFile(join(folder, 'unified/one/memory.events'), 'low 0\noom 3\noom_kill 2\n');
    expect(group.countMemoryKills()).toBe(2);
    const exec = group.openExec('exec-1');
    expect(exec.joinFiles).toEqual([join(folder, 'unified/one/exec-1/cgroup.procs')]);
    await writeFile(join(folder, 'unified/one/exec-1/cpu.stat'), 'usage_usec 2500000\nuser_usec 1\n');
    expect(exec.readCpuSeconds()).toBe(2.5);
  });
  it('bounds the buffers of TCP in version 1, where nobody else does', async () => {
    const home = { version: 1, memory: join(folder, 'memory'), pids: join(folder, 'pids'), cpu: join(folder, 'cpu') };
    const group = openControlGroup({ home: { ...home, version: 1 }, name: 'tcp', memoryBytes: 160e6, processes: 7 });
    expect(await readFile(join(folder, 'memory/tcp/memory.kmem.tcp.limit_in_bytes'), 'utf8')).toBe('1875000');
    expect(await readFile(join(folder, 'memory/tcp/memory.limit_in_bytes'), 'utf8')).toBe('157500000');
    await writeFile(join(folder, 'memory/tcp/memory.kmem.tcp.usage_in_bytes'), '2250000');
    expect(group.readTcpShare()).toBe(0.9);
  });
  it('says which limits it cannot hold where it may not make one, and what to do', () => {
    const home = { version: 1, memory: '/nonexistent', pids: '/nonexistent', cpu: '/nonexistent' } as const;
    expect(() => openControlGroup({ home, name: 'one', memoryBytes: 1, processes: 1 })).toThrow(
      /memoryBytes and processes.*cannot be held.*namespace:watched/,
    );
  });
});
