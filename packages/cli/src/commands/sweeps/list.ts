import { defineCommand } from 'citty';
import { homeFlag, jsonFlag, readHome } from '../../flags/engine.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { summariseSweep, sweepToJson } from './summarise-sweep.ts';
import { listSweeps, readSweepLines } from './sweep-files.ts';
import { writeJson } from '../../terminal/screen.ts';

const flags = { ...homeFlag, ...jsonFlag } as const;

export const sweepsListCommand = defineCommand({
  meta: { name: 'list', description: 'List sweeps, newest first: how many runs of each have ended.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const home = readHome(args);
    const sweeps = await Promise.all(
      (await listSweeps(home)).map(async (plan) => ({ plan, lines: await readSweepLines(home, plan.sweep) })),
    );
    if (args.json === true) {
      writeJson({ sweeps: sweeps.map(({ plan, lines }) => sweepToJson(plan, lines)) });
      return;
    }
    if (sweeps.length === 0) {
      process.stdout.write('no sweeps yet: lachesis train --seeds 3 --grid tinker.learning_rate=1e-4,3e-4\n');
      return;
    }
    const width = Math.max(...sweeps.map(({ plan }) => plan.sweep.length));
    for (const { plan, lines } of sweeps) {
      const { rows, isOver } = summariseSweep(plan, lines);
      const ended = rows.flatMap(({ cells }) => cells).filter(({ state }) => state === 'ended').length;
      const count = plan.points.length * plan.seeds.length;
      const grid = Object.keys(plan.points[0]?.settings ?? {}).join(', ');
      process.stdout.write(
        `${plan.sweep.padEnd(width)}  ${isOver ? 'over' : 'open'}  ${ended} of ${count} runs ended  ${plan.metric}  ${grid}\n`,
      );
    }
  },
});
