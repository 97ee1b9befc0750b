import { expect, test } from 'vitest';
import { createTurns } from './take-turns.ts';

const always = (): boolean => true;

/** Calls that end when the test says so. */
function createCalls() {
  const made: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  return {
    made,
    make: (name: string) => () =>
      new Promise<string>((resolve, reject) => {
        made.push(name);
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
      }),
    end: (name: string, error?: Error) => ends.get(name)?.(error),
  };
}

test('makes a call when one before it has ended, also when that one failed', async () => {
  const { made, make, end } = createCalls();
  const takeTurn = createTurns(2);
  const calls = ['a', 'b', 'c', 'd'].map((name) => takeTurn(always, make(name)));
  await Promise.resolve();
  expect(made).toEqual(['a', 'b']);
  end('b');
  await expect(calls[1]).resolves.toBe('b');
  expect(made).toEqual(['a', 'b', 'c']);
  end('a', new Error('refused'));
  await expect(calls[0]).rejects.toThrow('refused');
  expect(made).toEqual(['a', 'b', 'c', 'd']);
  end('c');
  end('d');
  await Promise.all(calls.slice(2));
});

test('never makes a call that nobody waits for any more', async () => {
  const { made, make, end } = createCalls();
  const takeTurn = createTurns(1);
  let isInView = true;
  const first = takeTurn(always, make('first'));
  const left = takeTurn(() => isInView, make('left'));
  const last = takeTurn(always, make('last'));
  isInView = false;
  await expect.poll(() => made).toEqual(['first']);
  end('first');
  await first;
  await expect(left).rejects.toThrow('Nobody waits');
  await expect.poll(() => made).toEqual(['first', 'last']);
  end('last');
  await last;
});
