import { expect, test } from 'vitest';
import { readLines } from './read-lines.ts';

const answer = (...pieces: string[]): Response =>
  new Response(
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    }),
  );

test('reads lines that come in pieces, also the last one without its end', async () => {
  expect(await readLines(answer('{"a":1}\n{"a"', ':2}\n', '{"a":3}'), 10)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
  expect(await readLines(answer(), 10)).toEqual([]);
});

test('takes no more than was asked for, and lets go of the rest', async () => {
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('1\n2\n3\n')),
    cancel: () => void (isCancelled = true),
  });
  expect(await readLines(new Response(endless), 2)).toEqual([1, 2]);
  await expect.poll(() => isCancelled).toBe(true);
});
