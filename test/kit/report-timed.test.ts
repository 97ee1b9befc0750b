import { expect, it } from 'vitest';

import type { ScenarioContext } from '../scenarios/scenario.ts';
import { reportTimed } from './report-timed.ts';

it('a line that is short beside busy neighbours is not run; one that is ok, or short alone, is told', () => {
  const told: unknown[] = [];
  const context = {
    report: ({ name, ok }: { name: string; ok: boolean }) => told.push([name, ok]),
    reportNotRun: ({ name, why }: { name: string; why: string }) => told.push([name, why]),
  } as unknown as ScenarioContext;
  reportTimed(context, { name: 'fast', figure: '1 ms', bar: '≤ 2 ms', ok: true }, 1.5);
  reportTimed(context, { name: 'slow', figure: '9 ms', bar: '≤ 2 ms', ok: false }, 0.1);
  reportTimed(context, { name: 'slow', figure: '9 ms', bar: '≤ 2 ms', ok: false }, 1.5);
  expect(told).toEqual([
    ['fast', true],
    ['slow', false],
    ['slow', 'others used 1.5 cores meanwhile: 9 ms'],
  ]);
});
