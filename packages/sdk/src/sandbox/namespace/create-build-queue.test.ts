import { expect, it } from 'vitest';
import { createBuildQueue, runInQueue } from './create-build-queue.ts';

it('runs so many at once, in order, and leaves out what was given up', async () => {
  const queue = createBuildQueue(1);
  const begun: string[] = [];
  const gates = new Map<string, () => void>();
  const job = (name: string) => async (): Promise<void> => {
    begun.push(name);
    await new Promise<void>((resolve) => gates.set(name, resolve));
    if (name === 'first') throw new Error('a job that fails holds up nobody');
  };
  queue.add(job('first'));
  const giveUp = queue.add(job('second'));
  queue.add(job('third'));
  giveUp();
  expect(begun).toEqual(['first']);
  gates.get('first')?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(['first', 'third']);
});

it('hands back what came of a work, its failure included, and goes on', async () => {
  const queue = createBuildQueue(1);
  const results = await Promise.allSettled([
    runInQueue(queue, () => Promise.resolve('made')),
    runInQueue(queue, () => Promise.reject(new Error('no room'))),
    runInQueue(queue, () => Promise.resolve('made after it')),
  ]);
  expect(results).toMatchObject([{ value: 'made' }, { reason: { message: 'no room' } }, { value: 'made after it' }]);
});
