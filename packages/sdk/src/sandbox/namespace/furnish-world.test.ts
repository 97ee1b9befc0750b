import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { createNamespaceProvider } from './create-namespace-provider.ts';

/** A provider, and the programs that were started for it. */
function openProvider() {
  const started: string[] = [];
  const remember = ((program: string, args: readonly string[], options: object) => {
    started.push([program, ...args].join(' '));
    return spawn(program, args, options);
  }) as typeof spawn;
  const provider = createNamespaceProvider({ spawn: remember });
  const furnishings = (): number => started.filter((line) => line.includes('/proc/sys/net/ipv4')).length;
  return { provider, furnishings, [Symbol.asyncDispose]: () => provider.close() };
}

test('a sandbox is there before its world is furnished, and its first command comes after', async () => {
  await using opened = openProvider();
  const sandbox = await opened.provider.create({ owner: 'test' });
  expect(opened.furnishings()).toBe(0);
  const { stdout } = await sandbox.exec('cat /proc/sys/net/ipv4/tcp_rmem');
  expect(stdout.trim().split(/\s+/)).toEqual(['4096', '16384', '65536']);
  expect(opened.furnishings()).toBe(1);
  await sandbox.destroy();
});

test('a world that is being ended is not entered any more', async () => {
  await using opened = openProvider();
  const sandbox = await opened.provider.create({ owner: 'test' });
  await sandbox.destroy();
  expect(opened.furnishings()).toBe(0);
});
