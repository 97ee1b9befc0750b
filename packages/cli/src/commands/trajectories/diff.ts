import type { TrajectoryDetail, TrajectoryFilter } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import { defineCommand } from 'citty';
import { fail } from '../../terminal/fail.ts';
import { diffMessages, joinMessages } from '@lachesis/protocol/conversation';
import { renderDiff } from '../../library/render-diff.ts';
import { findSide, pairSides } from '../../library/pair-sides.ts';
import { countPairs, renderPairs } from '../../library/render-pairs.ts';
import type { LibraryArguments } from '../../flags/library/locate-library.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { readScreen, writeJson } from '../../terminal/screen.ts';
import { libraryFlags, withLibrary } from '../../flags/library/library.ts';

const flags = {
  first: { type: 'positional', required: false, description: 'id of one trajectory' },
  second: { type: 'positional', required: false, description: 'id of the other' },
  left: {
    type: 'string',
    description: 'instead of ids: a source such as batch:nightly, a model, a tag, or source#model; with --right',
  },
  right: { type: 'string', description: 'what it is compared with, task by task' },
  limit: { type: 'string', description: 'with --left: pairs that are shown, the worst first (default: 5)' },
  ...libraryFlags,
} as const;

export const trajectoriesDiffCommand = defineCommand({
  meta: {
    name: 'diff',
    description: 'Compare two runs of the same task, or two batches, evaluations or models task by task.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const { first, second } = args;
    if (args.left !== undefined || args.right !== undefined) return await diffSides(args);
    if (first === undefined || second === undefined)
      return fail('give two ids, or --left and --right with a source, a model or a tag each.');
    await withLibrary(args, async (library) => {
      const [left, right] = await Promise.all([read(library, first), read(library, second)]);
      const diff = diffMessages(left.messages, right.messages);
      if (args.json === true) {
        writeJson({
          ...{ first, second },
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

const SHOWN = 5;

/** Two batches, evaluations or models, paired by what the user first asked. */
async function diffSides(args: LibraryArguments & SideArguments): Promise<void> {
  const { left, right } = args;
  if (left === undefined || right === undefined) return fail('--left and --right are given together.');
  if (args.first !== undefined) fail('give ids, or --left and --right: not both.');
  const shown = readWholeNumber('limit', args.limit) ?? SHOWN;
  await withLibrary(args, async (library) => {
    const [ofLeft, ofRight] = [await needSide(library, left), await needSide(library, right)];
    const paired = await pairSides(library, ofLeft, ofRight);
    if (args.json === true) {
      writeJson({ left, right, counts: countPairs(paired), pairs: paired.pairs });
      return;
    }
    if (paired.pairs.length === 0) {
      const counts = `${paired.left_alone} and ${paired.right_alone} conversations`;
      return fail(`${left} and ${right} have no task in common: ${counts}, and no first question is the same.`);
    }
    const { paint, columns } = readScreen();
    process.stdout.write(renderPairs(paired, { left, right, shown, paint, columns }));
  });
}

interface SideArguments {
  first?: string | undefined;
  left?: string | undefined;
  right?: string | undefined;
  limit?: string | undefined;
  json?: boolean | undefined;
}

async function needSide(library: LibraryClient, name: string): Promise<TrajectoryFilter> {
  const found = await findSide(library, name);
  if (found !== undefined) return found;
  return fail(
    `nothing is recorded with the source, the model or the tag ${JSON.stringify(name)}. \`lachesis trajectories list --json\` shows what there is.`,
  );
}

async function read(
  library: LibraryClient,
  id: string,
): Promise<{ detail: TrajectoryDetail; messages: ReturnType<typeof joinMessages> }> {
  const detail = await library.readTrajectory(id);
  if (detail === undefined) return fail(`there is no trajectory ${id}. \`lachesis trajectories list\` shows them.`);
  return { detail, messages: joinMessages(detail.turns) };
}
