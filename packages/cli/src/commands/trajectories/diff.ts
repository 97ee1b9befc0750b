import type { TrajectoryDetail } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import { defineCommand } from 'citty';
import { fail } from '../../terminal/fail.ts';
import { diffMessages } from '../../library/diff-messages.ts';
import { renderDiff } from '../../library/render-diff.ts';
import { joinMessages } from '../../library/join-messages.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { readScreen, writeJson } from '../../terminal/screen.ts';
import { libraryFlags, withLibrary } from '../../flags/library/library.ts';

const flags = {
  first: { type: 'positional', required: true, description: 'id of one trajectory' },
  second: { type: 'positional', required: true, description: 'id of the other' },
  ...libraryFlags,
} as const;

export const trajectoriesDiffCommand = defineCommand({
  meta: { name: 'diff', description: 'Compare two runs of the same task, message by message.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    await withLibrary(args, async (library) => {
      const [left, right] = await Promise.all([read(library, args.first), read(library, args.second)]);
      const diff = diffMessages(left.messages, right.messages);
      if (args.json === true) {
        writeJson({
          first: args.first,
          second: args.second,
          first_difference: diff.first?.what ?? null,
          steps: diff.steps,
        });
        return;
      }
      const { paint, columns } = readScreen();
      process.stdout.write(renderDiff(left, right, diff, { paint, columns }));
    });
  },
});

async function read(
  library: LibraryClient,
  id: string,
): Promise<{ detail: TrajectoryDetail; messages: ReturnType<typeof joinMessages> }> {
  const detail = await library.readTrajectory(id);
  if (detail === undefined) return fail(`there is no trajectory ${id}. \`lachesis trajectories list\` shows them.`);
  return { detail, messages: joinMessages(detail.turns) };
}
