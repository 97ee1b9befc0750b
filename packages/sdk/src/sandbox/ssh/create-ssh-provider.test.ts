import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { describeSandboxContract } from '../sandbox-contract.fixture.ts';
import { createSshProvider } from './create-ssh-provider.ts';

// What ssh does with a command line: joins its words and gives them to the login shell of the other side.
const standIn = ['/bin/sh', '-c', 'shift 2; exec /bin/sh -c "$*"', 'ssh'];

describeSandboxContract({
  name: 'ssh (a stand-in for the program)',
  open: () => createSshProvider({ host: 'elsewhere', command: standIn }),
  isContained: false,
});

it('leaves nothing behind when what left its group writes while it is destroyed', async () => {
  const provider = createSshProvider({ host: 'elsewhere', command: standIn });
  const owner = `writing-${process.pid}`;
  const sandbox = await provider.create({ owner });
  const writer = 'n=0; while :; do n=$((n + 1)); : > "$n"; done';
  await sandbox.exec(`for i in 1 2; do (setsid sh -c '${writer}' >/dev/null 2>&1 </dev/null &); done`);
  const starting = Array.from({ length: 6 }, () => sandbox.exec('sleep 30').catch(() => undefined));
  await sandbox.destroy();
  await Promise.all(starting);
  expect(await provider.reap(owner)).toBe(0);
}, 60_000);

it('ends a command that had not begun over there when its time was up', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-slow-ssh-'));
  const over = join(folder, 'over');
  // The other machine goes on without the connection, and begins only when that has been cut.
  const slow = `setsid /bin/sh -c 'while [ ! -e "$1" ]; do sleep 0.02; done; /bin/sh -c "$0"; : > ${over}' "$*" ${folder}/cut </dev/null >/dev/null 2>&1 & wait`;
  const command = [
    '/bin/sh',
    '-c',
    `shift 2; case "$*" in *'setsid -w'*) ${slow};; *) exec /bin/sh -c "$*";; esac`,
    'ssh',
  ];
  const provider = createSshProvider({ host: 'elsewhere', command });
  try {
    const sandbox = await provider.create({ owner: 'slow' });
    const begun = join(folder, 'begun');
    expect(await sandbox.exec(`: > ${begun}; sleep 60`, { timeoutMs: 100 })).toMatchObject({ end: 'timeout' });
    await writeFile(join(folder, 'cut'), '');
    await expect.poll(() => existsSync(over)).toBe(true);
    expect(existsSync(begun)).toBe(false);
  } finally {
    await provider.close();
    await rm(folder, { recursive: true });
  }
});
