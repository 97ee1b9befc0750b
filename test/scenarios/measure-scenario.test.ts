import { describe, expect, it } from 'vitest';

import { measureScenario } from './measure-scenario.ts';
import type { ScenarioLine } from './scenario.ts';

async function measure(figures: readonly number[]): Promise<{ printed: ScenarioLine[]; tries: number }> {
  const printed: ScenarioLine[] = [];
  let tries = 0;
  const counted = await measureScenario({
    full: false,
    onLine: (line) => printed.push(line),
    onLog: () => {},
    scenario: {
      name: 'play',
      title: '',
      run: async (context) => {
        const figure = figures[tries] ?? 0;
        tries += 1;
        context.report({ name: 'speed', figure: `${figure}×`, bar: '≥ 2×', ok: figure >= 2 });
        context.report({ name: 'steady', figure: '0', bar: '0', ok: true });
      },
    },
  });
  expect(counted).toEqual(printed);
  return { printed, tries };
}

describe('measureScenario', () => {
  it('measures once what reaches its bar', async () => {
    const { printed, tries } = await measure([3, 1]);
    expect(tries).toBe(1);
    expect(printed.map(({ figure, ok }) => [figure, ok])).toEqual([
      ['3×', true],
      ['0', true],
    ]);
  });

  it('measures again what does not, and prints both', async () => {
    const { printed } = await measure([1, 3]);
    expect(printed.map(({ figure, ok }) => [figure, ok])).toEqual([
      ['3×; at the first try 1×', true],
      ['0', true],
    ]);
  });

  it('is short when the second try is, and makes no third', async () => {
    const { printed, tries } = await measure([1, 1.5, 3]);
    expect(tries).toBe(2);
    expect(printed[0]).toMatchObject({ figure: '1.5×; at the first try 1×', ok: false });
  });
});
