import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createPlainWriter, toPlainLine } from './create-log.ts';

test('a line for a person is a sentence with its reason, and no JSON', () => {
  let line = '';
  const log = pino({ name: 'train' }, { write: (written) => (line = written) });
  log.warn({ err: new Error('it was unloaded'), model: 'm1' }, 'the engine does not have the model any more');
  expect(toPlainLine(line)).toBe('lachesis: the engine does not have the model any more: it was unloaded\n');
  log.warn({ path: '/x' }, 'old weights were not deleted');
  expect(toPlainLine(line)).toBe('lachesis: old weights were not deleted\n');
});

test('a sentence that comes again at once is shown once, dim where there are colours', () => {
  const shown: string[] = [];
  const writer = createPlainWriter({ write: (text) => shown.push(text), isColoured: true });
  const at = (time: number, msg: string): void => writer.write(JSON.stringify({ level: 40, time, msg }));
  at(0, 'the engine is away');
  at(500, 'the engine is away');
  at(20_000, 'the engine is away');
  at(20_001, 'it is back');
  expect(shown).toEqual(
    ['the engine is away', 'the engine is away', 'it is back'].map((msg) => `\u001B[2mlachesis: ${msg}\u001B[22m\n`),
  );
});

test('of a reason with a stack the first line is told', () => {
  expect(toPlainLine(JSON.stringify({ msg: 'lost', err: { message: 'gone\n    at x (y.ts:1)' } }))).toBe(
    'lachesis: lost: gone\n',
  );
});
