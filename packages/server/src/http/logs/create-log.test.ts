import { pino } from 'pino';
import { expect, test } from 'vitest';
import { toPlainLine } from './create-log.ts';

test('a line for a person is a sentence with its reason, and no JSON', () => {
  let line = '';
  const log = pino({ name: 'train' }, { write: (written) => (line = written) });
  log.warn({ err: new Error('it was unloaded'), model: 'm1' }, 'the engine does not have the model any more');
  expect(toPlainLine(line)).toBe('lachesis: the engine does not have the model any more: it was unloaded\n');
  log.warn({ path: '/x' }, 'old weights were not deleted');
  expect(toPlainLine(line)).toBe('lachesis: old weights were not deleted\n');
});
