import '../../../design.css';
import '../reading.css';
import { afterEach, expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { mountPickList } from '../lists/mount-pick-list.ts';
import { mountVirtualList } from './mount-virtual-list.ts';

const MANY = 1_000_000;

function makePlace(): HTMLElement {
  const place = document.createElement('div');
  place.style.cssText = 'height: 600px; width: 800px; display: grid';
  document.body.replaceChildren(place);
  return place;
}

function makeRow(index: number): HTMLElement {
  const row = document.createElement('div');
  row.textContent = `row ${index}`;
  row.style.height = '36px';
  return row;
}

afterEach(() => document.body.replaceChildren());

test('of a million rows those in view exist, and the last one is reached', async () => {
  const list = mountVirtualList(makePlace(), { count: MANY, height: 36, render: makeRow, role: 'list' });
  const items = () => document.querySelectorAll('[role=listitem]');
  expect(items()[0]?.textContent).toBe('row 0');
  expect(items().length).toBeLessThan(60);
  list.scroller.scrollTop = list.scroller.scrollHeight;
  await expect.poll(() => [...items()].at(-1)?.textContent).toBe(`row ${MANY - 1}`);
  expect([...items()].at(-1)?.getAttribute('aria-posinset')).toBe(String(MANY));
  expect(items().length).toBeLessThan(60);
});

test.each(['update', 'grow', 'refresh'] as const)(
  'a reader who has just gone to another place is not put back by %s',
  async (change) => {
    const options = { count: MANY, height: 36, render: makeRow, role: 'list' };
    const list = mountVirtualList(makePlace(), options);
    list.scroller.scrollTop = list.scroller.scrollHeight / 2;
    await expect.poll(() => list.range().first).toBeGreaterThan(0);
    list.scroller.scrollTop = list.scroller.scrollHeight;
    // A page that was asked for before comes in before the browser has told of it.
    list[change](options);
    await expect.poll(() => list.range().last).toBe(MANY - 1);
  },
);

test('rows stand one under the other, however their heights were guessed', async () => {
  const render = (index: number): HTMLElement => {
    const row = makeRow(index);
    row.style.height = `${20 + (index % 7) * 30}px`;
    return row;
  };
  const list = mountVirtualList(makePlace(), { count: 5_000, height: () => 40, render, role: 'list' });
  list.scrollTo(2_500, 'start');
  await expect
    .poll(() => list.rowAt(2_500)?.getBoundingClientRect().top ?? 0)
    .toBeCloseTo(list.scroller.getBoundingClientRect().top, 0);
  const boxes = [...document.querySelectorAll('[role=listitem]')].map((row) => row.getBoundingClientRect());
  for (const [index, box] of boxes.slice(1).entries()) expect(box.top).toBeCloseTo(boxes[index]?.bottom ?? 0, 1);
});

test('more rows behind those in view leave the reader where he is', () => {
  const options = { height: () => 36, render: makeRow, role: 'list' };
  const list = mountVirtualList(makePlace(), { ...options, count: 200 });
  list.scrollTo(100, 'start');
  const [seen, top] = [list.rowAt(100), list.rowAt(100)?.getBoundingClientRect().top];
  list.grow({ ...options, count: 10_000 });
  expect(list.rowAt(100)).toBe(seen);
  expect(list.rowAt(100)?.getBoundingClientRect().top).toBe(top);
});

test('arrow keys move the selection, and Enter opens what is selected', async () => {
  const opened: number[] = [];
  const list = mountPickList(makePlace(), {
    ...{ count: 1_000, height: 36, label: 'Things', render: makeRow },
    onOpen: (index) => opened.push(index),
  });
  document.querySelector<HTMLElement>('.pick-list')?.focus();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}{ArrowUp}{Enter}');
  expect(opened).toEqual([2]);
  list.move(500);
  expect(document.querySelector('[aria-current]')?.textContent).toBe('row 502');
  expect(document.querySelectorAll('[aria-current]')).toHaveLength(1);
});
