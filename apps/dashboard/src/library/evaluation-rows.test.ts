import { expect, test } from 'vitest';
import { listEvaluationRows } from './evaluation-rows.ts';

const measured = (name: string, content: Record<string, unknown>) => ({
  ...{ evaluation_id: name, name, content, created_at: 0 },
});

test('puts what was measured of two models beside each other, and leaves open what was not', () => {
  const left = { evaluations: [measured('run/evaluation', { score: 0.5, pass: { 'pass@1': 0.4 } })] };
  const right = { evaluations: [measured('run/evaluation', { score: 0.7 }), measured('compare/x', { items: 8 })] };
  expect(listEvaluationRows([left, right])).toEqual([
    { evaluation: 'run/evaluation', field: 'score', values: [0.5, 0.7] },
    { evaluation: 'run/evaluation', field: 'pass.pass@1', values: [0.4, undefined] },
    { evaluation: 'compare/x', field: 'items', values: [undefined, 8] },
  ]);
});

test('shows the newer of two results under one name, and a list as one value', () => {
  const model = { evaluations: [measured('a', { score: 1 }), measured('a', { interval: [0.1, 0.2], score: 2 })] };
  expect(listEvaluationRows([model])).toEqual([
    { evaluation: 'a', field: 'interval', values: [[0.1, 0.2]] },
    { evaluation: 'a', field: 'score', values: [2] },
  ]);
});
