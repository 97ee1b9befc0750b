import { defineCommand } from 'citty';
import { writeFile } from 'node:fs/promises';
import { homeFlag, jsonFlag, readHome } from '../../flags/engine.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { drawSweepPage, showSweep } from './show-sweep.ts';
import { readSweepLines, readSweepPlan } from './sweep-files.ts';
import { fail } from '../../terminal/fail.ts';

const flags = {
  html: { type: 'string', description: 'write the curves to this file too: one page that needs no other' },
  ...homeFlag,
  ...jsonFlag,
} as const;

export const sweepsShowCommand = defineCommand({
  meta: { name: 'show', description: 'Show a sweep: the table of its settings and seeds, and the curves.' },
  args: { sweep: { type: 'positional', required: true, description: 'name of the sweep' }, ...flags },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const home = readHome(args);
    const plan = await readSweepPlan(home, args.sweep);
    if (plan === undefined) return fail(`there is no sweep ${args.sweep}. \`lachesis sweeps list\` shows them.`);
    const shown = { home, plan, lines: await readSweepLines(home, plan.sweep) };
    await showSweep({ ...shown, json: args.json === true });
    const page = args.html === undefined ? undefined : await drawSweepPage(shown);
    if (args.html !== undefined && page !== undefined) await writeFile(args.html, page);
  },
});
