import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Sandbox, SandboxProvider } from '../sandbox.ts';
import { createNamespaceProvider } from './create-namespace-provider.ts';

describe('a sandbox whose limits are only watched', () => {
  let provider: SandboxProvider;
  let sandbox: Sandbox;
  beforeAll(async () => {
    provider = createNamespaceProvider({ controlGroups: null });
    sandbox = await provider.create({ owner: 'watched', limits: { memoryBytes: 200e6 } });
  });
  afterAll(() => provider.close());

  it('runs commands, and ends one that takes too much', async () => {
    expect((await sandbox.exec('echo ran')).stdout).toBe('ran\n');
    const result = await sandbox.exec(
      `python3 -c "import time; kept = [bytearray(b'x') * 30000000 for i in range(12)]; time.sleep(20)"`,
    );
    expect(result.end === 'memory' || result.exitCode !== 0).toBe(true);
    expect(result.durationMs).toBeLessThan(15_000);
  });
  it('refuses memory that belongs to no process', async () => {
    const result = await sandbox.exec(`python3 -c "import os; os.memfd_create('x')"`);
    expect(result.stderr).toMatch(/PermissionError/);
  });
  it('ends what was left as well', async () => {
    await sandbox.exec('(setsid sleep 300 > /dev/null 2>&1 < /dev/null &)');
    await sandbox.endCommands();
    expect((await sandbox.exec('echo alive')).stdout).toBe('alive\n');
  });
});
