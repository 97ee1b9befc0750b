import { fileURLToPath } from 'node:url';

import { startProcess } from '../../../kit/start-process.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';

const SMALL = 50_000;
const LARGE = 200_000;
const FULL = 2_000_000;
/** Four or forty times the rows may not take a third more memory. */
const GROWTH = 1.33;
const MEGABYTE = 1024 * 1024;
const PROGRAM = fileURLToPath(new URL('../datasets/make-set-process.ts', import.meta.url));

interface Made {
  readonly rows: number;
  readonly seconds: number;
  readonly peakBytes: number;
}

/** A data set of any length in the memory of a short one. */
export const datasetsScenario: Scenario = {
  name: 'datasets',
  title: 'a data set of 200,000 rows, with --full of 2,000,000, is made in flat memory',
  async run(context) {
    const small = await make(context, SMALL, 'stream');
    const large = await make(context, context.full ? FULL : LARGE, 'stream');
    const growth = large.peakBytes / small.peakBytes;
    const slope = ((large.peakBytes - small.peakBytes) / MEGABYTE / (large.rows - small.rows)) * 1e6;
    context.report({
      name: 'memory of making a data set',
      figure: `${growth.toFixed(2)}×: ${show(large)}, ${show(small)}; ${slope.toFixed(0)} MB for each million rows more; ${(large.rows / large.seconds).toFixed(0)} rows/s`,
      bar: `≤ ${GROWTH}×`,
      ok: growth <= GROWTH,
    });
    const hoarded = [await make(context, SMALL, 'hoard'), await make(context, LARGE, 'hoard')] as const;
    const grown = hoarded[1].peakBytes / hoarded[0].peakBytes;
    context.report({
      name: 'fault: rows that are all there before the first is written',
      figure: `${grown.toFixed(2)}×: ${show(hoarded[1])}, ${show(hoarded[0])}`,
      bar: `caught: > ${GROWTH}×`,
      ok: grown > GROWTH,
    });
  },
};

async function make(context: ScenarioContext, rows: number, mode: 'stream' | 'hoard'): Promise<Made> {
  const lines: string[] = [];
  await using child = await startProcess({
    command: process.execPath,
    // A collector that is in no hurry lets memory grow that nobody holds.
    args: [
      '--conditions=lachesis-source',
      '--max-semi-space-size=4',
      PROGRAM,
      await context.scratch(),
      String(rows),
      mode,
    ],
    ...{ name: `a data set of ${rows} rows`, onLine: (line: string) => lines.push(line) },
  });
  const { code } = await child.exited;
  if (code !== 0) throw new Error(`${child.name} ended with ${code ?? 'a signal'}:\n${child.logs()}`);
  context.log(`${child.name}, ${mode}: ${lines.at(-1)}`);
  return JSON.parse(lines.at(-1) ?? '') as Made;
}

const show = ({ rows, peakBytes }: Made): string =>
  `${Math.round(peakBytes / MEGABYTE)} MB for ${rows.toLocaleString('en')} rows`;
