import { expect, test } from 'vitest';
import { measureFidelity } from './measure-fidelity.ts';

const call = (name: string, args: object): string =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;

const removed = [
  {
    from: 'gpt',
    value: `<think>\nI decided to rebuild the index because checksums differ.\n</think>\n${call('terminal', { command: 'make "all"', retries: 12 })}`,
  },
  { from: 'tool', value: '<tool_response>\n{"content": "built 1,204 files in 33.5 s, 7 warnings"}\n</tool_response>' },
  { from: 'gpt', value: call('read_file', { path: '/srv/index.db' }) },
];

test('everything that is told again has survived', () => {
  const told =
    'It decided to rebuild the index because checksums differ: terminal with make "all" (12), read_file of /srv/index.db; 1,204 files, 33.5 s.';
  const fidelity = measureFidelity({ removed, left: [{ from: 'human', value: told }] });
  expect(fidelity).toMatchObject({ score: 1, tool_names: { kept: 2, of: 2 }, decisions: { kept: 1, of: 1 } });
  expect(fidelity.numbers).toEqual({ kept: 3, of: 3, missing: [] });
});

test('what is lost is counted and named', () => {
  const fidelity = measureFidelity({ removed, left: [{ from: 'human', value: 'The terminal built 1,204 files.' }] });
  expect(fidelity.tool_names).toEqual({ kept: 1, of: 2, missing: ['read_file'] });
  expect(fidelity.numbers.missing).toContain('33.5');
  expect(fidelity.decisions).toMatchObject({ kept: 0, of: 1 });
  expect(fidelity.score).toBeLessThan(0.5);
});

test('turns without facts lose none', () => {
  expect(measureFidelity({ removed: [{ from: 'gpt', value: 'hm' }], left: [] }).score).toBe(1);
});
