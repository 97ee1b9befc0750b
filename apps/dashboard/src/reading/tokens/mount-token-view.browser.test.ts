import '../../../design.css';
import '../reading.css';
import { afterEach, expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { makeTokens } from '../../../bench/make-data.ts';
import { mountTokenView, type TokenViewOptions } from './mount-token-view.ts';

const tokens = makeTokens(50_000);

function mount(options: Partial<TokenViewOptions> = {}) {
  const place = document.createElement('div');
  document.body.replaceChildren(place);
  const view = mountTokenView(place, { tokens, ...options });
  const scroller = place.querySelector<HTMLElement>('.virtual');
  if (scroller === null) throw new Error('the view has no list');
  return { place, view, scroller };
}

const facts = (place: Element): Record<string, string> =>
  Object.fromEntries(
    [...place.querySelectorAll('.tokens-card > div')].map((each) => [
      each.querySelector('dt')?.textContent ?? '',
      each.querySelector('dd')?.textContent ?? '',
    ]),
  );

afterEach(() => document.body.replaceChildren());

test('what is read is what the tokens say, and only lines in view exist', () => {
  const { place } = mount();
  const spans = [...place.querySelectorAll('.tokens-line > .token')];
  expect(spans.length).toBeGreaterThan(100);
  expect(place.querySelectorAll('*').length).toBeLessThan(1_500);
  for (const [index, span] of spans.entries()) expect(span.textContent).toBe(tokens.pieces.text(index));
});

test('a key chooses the colour, and the button says so', async () => {
  const { place, scroller } = mount();
  const shades = (): string =>
    [...place.querySelectorAll('.tokens-line > .token')].map((each) => each.className).join();
  const before = shades();
  scroller.focus();
  await userEvent.keyboard('4');
  expect(place.querySelector('[aria-pressed=true]')?.textContent).toContain('mask');
  expect(shades()).not.toBe(before);
});

test('arrow keys go from token to token, and the card tells the one that is reached', async () => {
  const reached: number[] = [];
  const { place, scroller } = mount({ onToken: (index) => reached.push(index) });
  scroller.focus();
  await userEvent.keyboard('{ArrowRight}{ArrowRight}{End}');
  expect(reached).toEqual([1, 2, tokens.length - 1]);
  expect(facts(place)['place']).toBe('50,000 of 50,000');
  expect(facts(place)['id']).toBe(String(tokens.ids[tokens.length - 1]));
  expect(place.querySelectorAll('.is-current')).toHaveLength(1);
});

test('lines that keys scroll under a pointer at rest leave the card with the keys', async () => {
  const { place, scroller } = mount();
  scroller.focus();
  await userEvent.keyboard('{End}');
  // What a browser tells when lines move and the pointer does not: it is over another element, and nothing has moved.
  const under = place.querySelectorAll<HTMLElement>('.tokens-line > .token')[3] as HTMLElement;
  under.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
  expect(facts(place)['place']).toBe('50,000 of 50,000');
  // The pointer moves on the same token again and again: the card is its own once, and then that of the keys.
  under.dispatchEvent(new PointerEvent('pointermove', { bubbles: true }));
  expect(facts(place)['place']).not.toBe('50,000 of 50,000');
  await userEvent.keyboard('{Home}');
  under.dispatchEvent(new PointerEvent('pointermove', { bubbles: true }));
  expect(facts(place)['place']).toBe('1 of 50,000');
});

test('the card tells the token under the pointer, and the one of the keys when the pointer has gone', async () => {
  const { place } = mount();
  const span = place.querySelectorAll<HTMLElement>('.tokens-line > .token')[3] as HTMLElement;
  await userEvent.hover(span);
  expect(facts(place)['place']).toBe('4 of 50,000');
  await userEvent.hover(place.querySelector('.tokens-colour') as HTMLElement);
  await expect.poll(() => facts(place)['place']).toBe('1 of 50,000');
});

test('nothing is left of a view that is gone', () => {
  const { place, view } = mount();
  view.destroy();
  expect(place.childElementCount).toBe(0);
});
