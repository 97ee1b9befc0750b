import { act, createElement, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { listenForKeys, setSingleKeys, useKeys } from '../shell/keys.ts';
import { listRateKeys, type RateAction, type RatingMode } from './rate-keys.ts';

let root: Root;
let end: () => void;
let done: RateAction[];

function Rating({ mode }: { mode: RatingMode }): ReactNode {
  useKeys(listRateKeys(mode).map(({ keys, label, action }) => ({ keys, label, run: () => void done.push(action) })));
  return createElement('textarea', { 'aria-label': 'comment' });
}

const show = (mode: RatingMode): Promise<void> => act(async () => root.render(createElement(Rating, { mode })));

beforeEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  done = [];
  const place = document.createElement('div');
  document.body.replaceChildren(place);
  root = createRoot(place);
  end = listenForKeys(() => undefined);
});

afterEach(async () => {
  end();
  setSingleKeys(true);
  await act(async () => root.unmount());
});

test('keys rate, and those of another mode do not', async () => {
  await show('one');
  await userEvent.keyboard('ud5{ArrowLeft}s');
  expect(done).toEqual([
    { kind: 'thumb', isUp: true },
    { kind: 'thumb', isUp: false },
    { kind: 'stars', stars: 5 },
    { kind: 'skip' },
  ]);
  done = [];
  await show('pairs');
  await userEvent.keyboard('u{ArrowLeft}{ArrowRight}z');
  expect(done).toEqual([{ kind: 'choose', side: 'left' }, { kind: 'choose', side: 'right' }, { kind: 'undo' }]);
});

test('a word that is typed into a field rates nothing', async () => {
  await show('one');
  const field = document.querySelector('textarea');
  field?.focus();
  await userEvent.keyboard('ud5');
  expect([done, field?.value]).toEqual([[], 'ud5']);
});

test('keys that are switched off do nothing', async () => {
  await show('one');
  setSingleKeys(false);
  await userEvent.keyboard('u');
  expect(done).toEqual([]);
});
