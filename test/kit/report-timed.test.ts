import { expect, it } from 'vitest';

import type { ScenarioContext } from '../scenarios/scenario.ts';
import { reportTimed } from './report-timed.ts';

it('a line that is short stays short, and says how busy others kept the machine', () => {
  const told: unknown[] = [];
  const report = ({ figure, ok }: { figure: string; ok: boolean }): void => void told.push([figure, ok]);
  const context = { report } as unknown as ScenarioContext;
  reportTimed(context, { name: 'fast', figure: '1 ms', bar: '≤ 2 ms', ok: true }, 1.5);
  reportTimed(context, { name: 'slow', figure: '9 ms', bar: '≤ 2 ms', ok: false }, 1.5);
  expect(told).toEqual([
    ['1 ms', true],
    ['9 ms; others used 1.5 cores meanwhile', false],
  ]);
});
