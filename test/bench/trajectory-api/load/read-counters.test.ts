import { expect, it } from 'vitest';

import { parseMetrics, subtractCounters } from './read-counters.ts';

it('reads names with labels and subtracts an earlier page', () => {
  const page = (count: number): string =>
    `# HELP x\n# TYPE x counter\nx_total{phase="pack"} ${count / 2}\nlachesis_groups_accepted_total ${count}\n`;
  expect(subtractCounters(parseMetrics(page(10)), parseMetrics(page(4)))).toEqual({
    'x_total{phase="pack"}': 3,
    lachesis_groups_accepted_total: 6,
  });
});
