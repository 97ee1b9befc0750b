import '../../../design.css';
import '../reading.css';
import { afterEach, expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { mountTranscript, type Transcript, type TranscriptOptions } from './mount-transcript.ts';
import type { TranscriptEvent } from './read-events.ts';

const EVENTS: TranscriptEvent[] = [
  {
    ...{ kind: 'message', turn: 0, isFirst: true, isFork: false, parent: null, ended: undefined },
    message: { role: 'assistant', content: 'nine', reasoning_content: 'three times three' },
  },
];

function open(): { transcript: Transcript; options: TranscriptOptions; fold: () => HTMLDetailsElement } {
  const place = document.createElement('div');
  place.style.cssText = 'height: 600px; width: 800px; display: grid';
  document.body.replaceChildren(place);
  const options = { events: EVENTS, source: 'trajectory' };
  const fold = () => place.querySelector('details') as HTMLDetailsElement;
  return { transcript: mountTranscript(place, options), options, fold };
}

afterEach(() => document.body.replaceChildren());

test('what a reader has just opened stays open when feedback comes in, and what he has just closed stays closed', () => {
  const { transcript, options, fold } = open();
  const click = (): void => fold().querySelector('summary')?.click();
  expect(fold().textContent).not.toContain('three times three');
  click();
  // In the same task: the browser has not told of it yet.
  transcript.update({ ...options, noteOf: () => '+1' });
  expect(fold().open).toBe(true);
  expect(fold().textContent).toContain('three times three');
  click();
  transcript.update({ ...options, noteOf: () => '+2' });
  expect(fold().open).toBe(false);
});

test('a fold is opened and closed by key', async () => {
  const { fold } = open();
  fold().querySelector('summary')?.focus();
  await userEvent.keyboard('{Enter}');
  expect(fold().textContent).toContain('three times three');
  await userEvent.keyboard('{Enter}');
  expect(fold().open).toBe(false);
});

test('what is opened without a click, as a search in the page does, stays open too', async () => {
  const { transcript, options, fold } = open();
  fold().open = true;
  await expect.poll(() => fold().textContent).toContain('three times three');
  transcript.update({ ...options });
  expect(fold().open).toBe(true);
});
