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

test('any row of a long list is gone to at once, and what is passed by on the way is not waited for', async () => {
  const total = 1_000_000;
  const { load, asked } = createSource(total);
  const findPages = async (cursor: string) => {
    const rest = total - Number(cursor);
    const pages = Math.ceil(rest / SIZE) - 1;
    return {
      count: rest,
      cursors: Array.from({ length: pages }, (_, page) => String(Number(cursor) + (page + 1) * SIZE)),
    };
  };
  const left: string[] = [];
  const slow = async (cursor: string | undefined, signal: AbortSignal) => {
    const away = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        left.push(cursor ?? '');
        reject(new Error('left'));
      });
    });
    return cursor === '500000' ? await away : await load(cursor);
  };
  const pager = createPager({ size: SIZE, load: slow, findPages, onChange: () => undefined });
  await vi.waitFor(() => expect([pager.count, pager.isWhole]).toEqual([total, true]));
  pager.show(500_010, 500_040);
  pager.show(total - 20, total - 1);
  await vi.waitFor(() => expect(pager.rowAt(total - 1)).toBe(total - 1));
  expect(left).toEqual(['500000']);
  expect(pager.error).toBeUndefined();
  expect(asked.length).toBeLessThan(10);
  pager.destroy();
});

test('where nobody can say how many there are, rows are found page by page', async () => {
  const { load } = createSource(250);
  const pager = createPager({
    size: SIZE,
    load,
    findPages: () => Promise.reject(new Error('away')),
    onChange: () => undefined,
  });
  await vi.waitFor(() => expect(pager.count).toBe(100));
  pager.show(80, 99);
  await vi.waitFor(() => expect(pager.count).toBe(200));
  expect([pager.isWhole, pager.error]).toEqual([false, undefined]);
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
