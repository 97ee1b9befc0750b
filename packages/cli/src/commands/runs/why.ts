import { defineCommand } from 'citty';
import { renderWhy } from '../../runs/render-why.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { optionalRunArgument } from '../../flags/run-argument.ts';
import { findRunId } from '../../runs/find-run.ts';
import { serverFlags } from '../../flags/server.ts';
import { withControl } from '../../flags/library/find-control.ts';
import { readScreen, writeJson } from '../../terminal/screen.ts';

const flags = { ...serverFlags } as const;

export const runsWhyCommand = defineCommand({
  meta: {
    name: 'why',
    description:
      'Say what a run waits for (who for whom, since when, holding what), and when it moves and does not learn.',
  },
  args: { ...optionalRunArgument, ...flags },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    await withControl(args, async (client) => {
      const why = await client.explainRun(await findRunId(client, args.run));
      if (args.json === true) {
        writeJson(why);
        return;
      }
      const { paint, columns } = readScreen();
      process.stdout.write(`${renderWhy(why, { paint, columns, now: Date.now() }).join('\n')}\n`);
    });
  },
});
