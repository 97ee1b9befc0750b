import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { describeSandboxContract } from '../sandbox-contract.fixture.ts';
import { SandboxError } from '../sandbox-error.ts';
import { createContainerProvider } from './create-container-provider.ts';
import { startEngine } from './start-engine.fixture.ts';
import type { ContainerEngine } from './start-engine.fixture.ts';

let folder: string;
let engine: ContainerEngine;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-engine-'));
  engine = await startEngine(join(folder, 'socket'));
});
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

describeSandboxContract({
  name: 'container (a stand-in for the engine)',
  open: () => createContainerProvider({ socketPath: engine.socketPath }),
  isContained: true,
});

describe('createContainerProvider', () => {
  it('asks for a container without network, capabilities or a writable image', async () => {
    const provider = createContainerProvider({ socketPath: engine.socketPath, image: 'task:1' });
    const sandbox = await provider.create({ owner: 'me', limits: { memoryBytes: 1e8, processes: 10, diskBytes: 1e6 } });
    expect(engine.made.at(-1)).toMatchObject({
      Image: 'task:1',
      User: '0:0',
      HostConfig: { NetworkMode: 'none', ReadonlyRootfs: true, CapDrop: ['ALL'], Memory: 1e8, PidsLimit: 12 },
    });
    const { HostConfig } = engine.made.at(-1) as { HostConfig: { SecurityOpt: string[] } };
    const filter = JSON.parse(HostConfig.SecurityOpt[1]?.slice('seccomp='.length) ?? '{}') as Record<string, unknown>;
    expect(filter).toMatchObject({ defaultAction: 'SCMP_ACT_ERRNO' });
    expect(JSON.stringify(filter)).not.toMatch(/"(?:unshare|mount|bpf|keyctl|ptrace|io_uring_setup)"/);
    await sandbox.destroy();
  });

  it('reaps the containers of an owner that another process left', async () => {
    const gone = createContainerProvider({ socketPath: engine.socketPath });
    await gone.create({ owner: 'gone' });
    await gone.create({ owner: 'somebody else' });
    const next = createContainerProvider({ socketPath: engine.socketPath });
    expect(await next.reap('gone')).toBe(1);
    expect(await next.reap('gone')).toBe(0);
    await gone.close();
  });

  it('says that the engine is not there', async () => {
    const provider = createContainerProvider({ socketPath: join(folder, 'nothing') });
    const error: unknown = await provider.create({ owner: 'me' }).catch((cause: unknown) => cause);
    expect(SandboxError.isInstance(error) && error.kind).toBe('unavailable');
  });
});
