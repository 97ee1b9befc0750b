import { RUN_STATES } from '@lachesis/protocol';
import { defineCommand } from 'citty';
import { fail } from '../../terminal/fail.ts';
import { findNearest } from '../../flags/find-nearest.ts';
import { renderRuns } from '../../runs/render-runs.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { serverFlags } from '../../flags/server.ts';
import { withControl } from '../../flags/library/find-control.ts';
import { readScreen, writeJson } from '../../terminal/screen.ts';

const LARGEST_PAGE = 10_000;

const flags = {
  status: { type: 'string', description: `only those that are ${RUN_STATES.join(', ')}` },
  environment: { type: 'string', description: 'only those of this environment' },
  limit: { type: 'string', description: 'at most so many (default: 20)' },
  before: { type: 'string', description: 'go on behind this run, the last of the page before' },
  ...serverFlags,
} as const;

export const runsListCommand = defineCommand({
  meta: { name: 'list', description: 'List runs, newest first, those that have ended too.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const status = RUN_STATES.find((state) => state === args.status);
    if (args.status !== undefined && status === undefined) {
      fail(
        `${JSON.stringify(args.status)} is not a state of a run. Did you mean ${findNearest(args.status, RUN_STATES)}?`,
      );
    }
    const limit = Math.min(LARGEST_PAGE, Math.max(1, readWholeNumber('limit', args.limit) ?? 20));
    await withControl(args, async (client) => {
      const page = await client.listRuns({ status, environment: args.environment, limit, before: args.before });
      if (args.json === true) {
        writeJson(page);
        return;
      }
      if (page.runs.length === 0) {
        process.stdout.write(
          status === undefined && args.environment === undefined ? 'no runs yet\n' : 'no run fits\n',
        );
        return;
      }
      const { paint, columns } = readScreen();
      process.stdout.write(renderRuns(page.runs, { paint, columns, now: Date.now() }));
      if (page.next !== null) process.stdout.write(paint.dim(`more: --before ${page.next}\n`));
    });
  },
});
