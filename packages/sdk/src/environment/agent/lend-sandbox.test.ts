import { expect, test } from 'vitest';

import type { Sandbox } from '../../sandbox/sandbox.ts';
import { lendSandbox } from './lend-sandbox.ts';
import { createMemorySandboxes } from './testing/memory-sandboxes.fixture.ts';

const create = async (): Promise<{ sandbox: Sandbox; ended: () => number }> => {
  const made = await createMemorySandboxes(() => 'ran').create({ owner: 'me' });
  let ended = 0;
  return { sandbox: { ...made, endCommands: async () => void (ended += 1) }, ended: () => ended };
};

test('what was lent does nothing after it was taken back, and what it started is ended', async () => {
  const { sandbox, ended } = await create();
  const lent = lendSandbox(async () => sandbox);
  const given = await lent.get();
  expect(await lent.get()).toBe(given);
  expect((await given.exec('x')).output).toBe('ran');
  await lent.takeBack();
  expect(ended()).toBe(1);
  await expect(given.exec('x')).rejects.toThrow('is over');
  await expect(given.writeFile('a', 'b')).rejects.toThrow('is over');
  await expect(lent.get()).rejects.toThrow('is over');
  expect((await sandbox.exec('x')).output).toBe('ran');
});

test('a sandbox that nobody asked for is not made to be ended', async () => {
  let made = 0;
  const lent = lendSandbox(async () => {
    made += 1;
    return (await create()).sandbox;
  });
  await lent.takeBack();
  expect(made).toBe(0);
});

test('a sandbox in which something could not be ended grades nothing', async () => {
  const { sandbox } = await create();
  const lent = lendSandbox(async () => ({ ...sandbox, endCommands: () => Promise.reject(new Error('still there')) }));
  await lent.get();
  await expect(lent.takeBack()).rejects.toThrow('still there');
});
