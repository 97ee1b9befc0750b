import type { ForgetRequest, TrajectorySummary } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import { defineCommand } from 'citty';
import { createInterface } from 'node:readline/promises';
import { fail } from '../../terminal/fail.ts';
import { cleanLine } from '../../terminal/clean-text.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { writeJson } from '../../terminal/screen.ts';
import { libraryFlags, withLibrary } from '../../flags/library/library.ts';

const flags = {
  what: { type: 'positional', required: true, description: 'id or key of a trajectory, or the name of a user' },
  user: { type: 'boolean', description: 'it is a user, even if it is an id or a key too' },
  yes: { type: 'boolean', description: 'do not ask' },
  ...libraryFlags,
} as const;

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PAGE = 1_000;

export const trajectoriesForgetCommand = defineCommand({
  meta: { name: 'forget', description: 'Delete a trajectory, or everything of a user, for good.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    await withLibrary(args, async (library) => {
      const { plan, what } = await find(library, args.what, args.user === true);
      if (args.yes !== true && !(await confirm(plan))) {
        process.stderr.write('nothing was forgotten\n');
        return;
      }
      const receipt = await library.forget(what);
      if (args.json === true) {
        writeJson(receipt);
        return;
      }
      const { trajectories, datasets, models } = receipt;
      process.stdout.write(
        `forgotten: ${count(trajectories)}, with text, feedback and files\n` +
          (datasets.length === 0
            ? ''
            : `rows made from it are in ${datasets.join(', ')}: they are marked; make new versions without them\n`) +
          (models.length === 0
            ? ''
            : `models that learned from it: ${models.join(', ')}; their weights stay until they are trained anew without it\n`),
      );
    });
  },
});

const count = (trajectories: number): string => `${trajectories} ${trajectories === 1 ? 'trajectory' : 'trajectories'}`;

/** An id comes first, then a key, then a user: forgetting less than was meant can be mended. */
async function find(
  library: LibraryClient,
  name: string,
  isUser: boolean,
): Promise<{ plan: string; what: ForgetRequest }> {
  if (!isUser && ID.test(name)) {
    const detail = await library.readTrajectory(name);
    if (detail === undefined) return fail(`there is no trajectory ${name}. \`lachesis trajectories list\` shows them.`);
    return { plan: describe(detail.summary), what: { trajectory_id: name } };
  }
  const named = isUser ? undefined : (await library.readTrajectory(name))?.summary;
  if (named !== undefined) return { plan: describe(named), what: { trajectory_id: named.trajectory_id } };
  const total = await countOfUser(library, name);
  if (total === 0)
    return fail(`there is no trajectory with the id or key ${JSON.stringify(name)}, and none of such a user.`);
  return { plan: `${count(total)} of user ${JSON.stringify(name)}`, what: { user: name } };
}

function describe({ trajectory_id: id, turn_count: turns, title }: TrajectorySummary): string {
  return `${id} (${turns} turns): ${JSON.stringify(cleanLine(title).slice(0, 80))}`;
}

async function countOfUser(library: LibraryClient, user: string): Promise<number> {
  let total = 0;
  for (let cursor: string | undefined; ;) {
    const page = await library.listTrajectories({ filter: { user }, limit: PAGE, cursor });
    total += page.trajectories.length;
    if (page.next_cursor === null) return total;
    cursor = page.next_cursor;
  }
}

async function confirm(plan: string): Promise<boolean> {
  if (!process.stdin.isTTY) fail(`this would forget ${plan}. Nobody can be asked here; say --yes.`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`forget ${plan}, with text, feedback and files? It cannot be undone. [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
