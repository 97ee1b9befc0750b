import { defineCommand } from 'citty';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { findNearest } from '../../flags/find-nearest.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { serverFlags } from '../../flags/server.ts';
import { withControl } from '../../flags/library/find-control.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { writeComparisonPage } from '../../runs/comparison-page.ts';
import { findRunId } from '../../runs/find-run.ts';
import { renderComparison } from '../../runs/render-comparison.ts';
import { fail } from '../../terminal/fail.ts';
import { readScreen, writeJson } from '../../terminal/screen.ts';

const MOST_POINTS = 5_000;

const flags = {
  series: {
    type: 'string',
    description: 'names of metrics, separated by commas (default: reward, evaluation and loss)',
  },
  html: { type: 'string', description: 'write the comparison to this file too: one page that needs no other' },
  limit: { type: 'string', description: 'at most so many points of each (default: as many as fit)' },
  ...serverFlags,
} as const;

export const runsCompareCommand = defineCommand({
  meta: {
    name: 'compare',
    description:
      'Compare runs: curves over each other, settings that differ, paired evaluation, seeds as a band. The first is what the others are compared with.',
  },
  args: {
    run: { type: 'positional', required: true, description: 'ids of two runs or more, or the beginnings of them' },
    ...flags,
  },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    if (args._.length < 2) fail('two runs or more are compared: lachesis runs compare <run> <run>.');
    const { paint, columns } = readScreen();
    const limit = Math.min(MOST_POINTS, Math.max(1, readWholeNumber('limit', args.limit) ?? columns));
    await withControl(args, async (client) => {
      const runs = await Promise.all(args._.map((typed) => findRunId(client, typed)));
      if (new Set(runs).size < runs.length) throw new Error('a run is compared with others, and not with itself.');
      const query = { limit, ...(args.series === undefined ? {} : { series: args.series }) };
      const comparison = await client.compareRuns(runs, query);
      const unknown = args.series
        ?.split(',')
        .map((name) => name.trim())
        .find((name) => !comparison.known_series.includes(name));
      if (unknown !== undefined) {
        throw new Error(
          `none of the runs has a metric ${JSON.stringify(unknown)}. Did you mean ${findNearest(unknown, comparison.known_series)}?`,
        );
      }
      if (args.html !== undefined) await writeFile(args.html, writeComparisonPage(comparison));
      if (args.json === true) writeJson(comparison);
      else {
        process.stdout.write(renderComparison(comparison, { paint, columns }));
        if (args.html !== undefined) process.stdout.write(`\nto look at: ${resolve(args.html)}\n`);
      }
    });
  },
});
