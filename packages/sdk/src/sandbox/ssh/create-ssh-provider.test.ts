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
