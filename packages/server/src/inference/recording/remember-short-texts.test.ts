import { createRedactor } from '@lachesis/protocol';
import { expect, it, vi } from 'vitest';
import { rememberShortTexts } from './remember-short-texts.ts';

it('says the same as the rules, and asks them once for a short text', () => {
  const rules = createRedactor({ secrets: ['hunter2-hunter2'] });
  const asked = vi.fn(rules.redactText);
  const own = rememberShortTexts({ ...rules, redactText: asked });
  for (const text of [
    'content',
    'my hunter2-hunter2',
    'content',
    'my hunter2-hunter2',
    `${'x '.repeat(200)}hunter2-hunter2`,
  ]) {
    expect(own.redactText(text)).toEqual(rules.redactText(text));
  }
  expect(asked).toHaveBeenCalledTimes(3);
});
