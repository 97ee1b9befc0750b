import { expect, test, vi } from 'vitest';
import { createPager } from './create-pager.ts';

const SIZE = 100;

function createSource(total: number) {
  const asked: (string | undefined)[] = [];
  const load = async (cursor: string | undefined) => {
    asked.push(cursor);
    const start = Number(cursor ?? 0);
    const rows = Array.from({ length: Math.min(SIZE, total - start) }, (_, index) => start + index);
    return { rows, next: start + SIZE < total ? String(start + SIZE) : null };
  };
  return { asked, load };
}

test('pages come as they are looked at, and those far away are let go of', async () => {
  const { load, asked } = createSource(100_000);
  const pager = createPager({ size: SIZE, load, onChange: () => undefined });
  await vi.waitFor(() => expect(pager.count).toBe(SIZE));
  for (let at = 0; at < 60 * SIZE; at = pager.count) {
    pager.show(Math.max(0, at - 20), at - 1);
    await vi.waitFor(() => expect(pager.count).toBeGreaterThan(at));
  }
  expect(pager.rowAt(pager.count - 1)).toBe(pager.count - 1);
  expect(pager.rowAt(0)).toBeUndefined();
  pager.show(0, 20);
  await vi.waitFor(() => expect(pager.rowAt(7)).toBe(7));
  expect(asked.filter((cursor) => cursor === undefined)).toHaveLength(2);
});

test('the last page says that there is no more', async () => {
  const { load } = createSource(150);
  const pager = createPager({ size: SIZE, load, onChange: () => undefined });
  await vi.waitFor(() => expect(pager.count).toBe(100));
  expect(pager.isWhole).toBe(false);
  pager.show(80, 99);
  await vi.waitFor(() => expect(pager.isWhole).toBe(true));
  expect(pager.count).toBe(150);
});

test('what failed is told, and asked for again when somebody says so', async () => {
  let isAway = true;
  const { load } = createSource(10);
  const pager = createPager({
    size: SIZE,
    load: (cursor) => (isAway ? Promise.reject(new Error('away')) : load(cursor)),
    onChange: () => undefined,
  });
  await vi.waitFor(() => expect(pager.error).toBeInstanceOf(Error));
  isAway = false;
  pager.retry();
  await vi.waitFor(() => expect(pager.count).toBe(10));
});
