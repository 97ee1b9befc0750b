import '../../../design.css';
import '../reading.css';
import { afterEach, expect, test } from 'vitest';
import { makeMessages } from '../../../bench/make-library.ts';
import { mountTurnDiff } from './mount-turn-diff.ts';

function mount(count: number) {
  const place = document.createElement('div');
  place.style.cssText = 'height: 700px; display: grid';
  document.body.replaceChildren(place);
  const options = { left: makeMessages(count, 1), right: makeMessages(count, 2) };
  return { place, diff: mountTurnDiff(place, options) };
}

afterEach(() => document.body.replaceChildren());

test('messages that are the same are one row, and those that changed show the words that did', () => {
  const { place } = mount(20);
  expect([...place.querySelectorAll('.diff-row.is-same summary')].map(({ textContent }) => textContent)).toEqual([
    '= 9 messages are the same',
    '= 10 messages are the same',
  ]);
  const [left, right] = place.querySelectorAll('.diff-side');
  expect([...(left?.querySelectorAll('del') ?? [])].map(({ textContent }) => textContent?.trim())).toEqual(['1']);
  expect([...(right?.querySelectorAll('ins') ?? [])].map(({ textContent }) => textContent?.trim())).toEqual(['2']);
});

test('a short comparison is as tall as what it has, and a long one leaves room in the window', async () => {
  const place = document.createElement('div');
  place.className = 'tall';
  document.body.replaceChildren(place);
  mountTurnDiff(place, { left: makeMessages(10, 1), right: makeMessages(10, 2) });
  const rows = place.querySelector('.virtual-rows') as HTMLElement;
  await expect.poll(() => place.clientHeight).toBe(Math.round(rows.getBoundingClientRect().height));
  expect(place.clientHeight).toBeGreaterThan(60);
  place.replaceChildren();
  mountTurnDiff(place, { left: makeMessages(1_000, 1), right: makeMessages(1_000, 2) });
  await expect.poll(() => place.clientHeight).toBe(Math.max(320, window.innerHeight - 280));
});

test('steps lead from one difference to the next, and to the end of a long conversation', () => {
  const { place, diff } = mount(1_000);
  expect(place.querySelectorAll('.diff-row').length).toBeLessThan(60);
  for (let count = 0; count < 50; count += 1) diff.step(1);
  expect(place.querySelectorAll('.is-current')).toHaveLength(1);
  const last = place.querySelector('.is-current')?.textContent;
  diff.step(1);
  expect(place.querySelector('.is-current')?.textContent).toBe(last);
  diff.step(-1);
  expect(place.querySelector('.is-current')?.textContent).not.toBe(last);
});
