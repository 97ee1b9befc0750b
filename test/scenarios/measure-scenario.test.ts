import { describe, expect, it } from 'vitest';

import { judgeScenario, measureScenario } from './measure-scenario.ts';
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

describe('judgeScenario', () => {
  async function judge(tries: readonly { ms: number; lost: number }[]) {
    const printed: string[] = [];
    let count = 0;
    const counted = await judgeScenario({
      full: false,
      onLine: ({ name, figure, ok }) => printed.push(`${name} ${figure} ${ok}`),
      onLog: () => {},
      scenario: {
        name: 'play',
        title: '',
        run: async (context) => {
          const { ms, lost } = tries[count] ?? { ms: 0, lost: 0 };
          count += 1;
          context.report({ name: 'lost', figure: `${lost}`, bar: '0', ok: lost === 0 });
          context.report({ name: 'answer', figure: `${ms} ms`, bar: '≤ 9 ms', ok: ms <= 9, onlyByClock: true });
        },
      },
    });
    return { printed, count, shorts: counted.filter(({ ok }) => !ok).length, lines: counted.length };
  }

  it('measures again what is only late, and prints both figures', async () => {
    expect(
      await judge([
        { ms: 20, lost: 0 },
        { ms: 5, lost: 0 },
      ]),
    ).toEqual({
      ...{ count: 2, shorts: 0, lines: 2 },
      printed: ['lost 0 true', 'answer 5 ms; at the first try 20 ms true'],
    });
    expect(
      await judge([
        { ms: 20, lost: 0 },
        { ms: 30, lost: 0 },
      ]),
    ).toMatchObject({ count: 2, shorts: 1, lines: 2 });
  });

  it('what is found once is found: beside it nothing is measured again', async () => {
    expect(
      await judge([
        { ms: 20, lost: 1 },
        { ms: 5, lost: 0 },
      ]),
    ).toMatchObject({ count: 1, shorts: 2 });
    expect(
      await judge([
        { ms: 5, lost: 1 },
        { ms: 5, lost: 0 },
      ]),
    ).toMatchObject({ count: 1, shorts: 1 });
  });

  it('what the second try finds counts, too', async () => {
    expect(
      await judge([
        { ms: 20, lost: 0 },
        { ms: 5, lost: 2 },
      ]),
    ).toMatchObject({ count: 2, shorts: 1, lines: 3 });
  });
});
