import { fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

test('a child whose parent goes while it starts ends without a word', async () => {
  const child = fork(new URL('./orphan-child.fixture.ts', import.meta.url).pathname, {
    execArgv: ['--conditions=lachesis-source'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  if (child.stderr === null) throw new Error('it has no standard error');
  const [said, ended] = [text(child.stderr), once(child, 'exit')];
  await once(child, 'message');
  child.disconnect();
  expect([await ended, await said]).toEqual([[0, null], '']);
});
