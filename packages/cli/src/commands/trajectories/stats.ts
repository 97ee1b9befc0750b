import type { TrajectoryDetail, TrajectoryFilter } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import { defineCommand } from 'citty';
import { filterFlags, readFilter } from '../../flags/filter.ts';
import { libraryFlags, withLibrary } from '../../flags/library/library.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { computeStats, renderStats, STATS_GROUPS } from '../../library/trajectory-stats.ts';
import { failUsage } from '../../terminal/fail.ts';
import { readScreen, writeJson } from '../../terminal/screen.ts';

const flags = {
  by: { type: 'string', default: 'model', description: `what calls are put together by: ${STATS_GROUPS.join(', ')}` },
  limit: { type: 'string', default: '1000', description: 'of at most so many trajectories, the newest' },
  ...filterFlags,
  ...libraryFlags,
} as const;

const PAGE = 200;

export const trajectoriesStatsCommand = defineCommand({
  meta: { name: 'stats', description: 'Add up cost, latency and tokens of calls, by model, user, key, run or day.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const by = STATS_GROUPS.find((each) => each === args.by);
    if (by === undefined) {
      failUsage(`--by wants one of ${STATS_GROUPS.join(', ')}, and ${JSON.stringify(args.by)} was given.`);
    }
    const limit = readWholeNumber('limit', args.limit) ?? 1_000;
    await withLibrary(args, async (library) => {
      const { details, isCut } = await readDetails(library, readFilter(args, Date.now()), limit);
      const rows = computeStats(details, by);
      if (args.json === true) return writeJson({ by, trajectories: details.length, is_cut: isCut, rows });
      if (rows.length === 0) {
        process.stdout.write('no call fits; `lachesis up` starts a gateway that records\n');
        return;
      }
      const { paint, columns } = readScreen();
      process.stdout.write(renderStats(rows, { by, paint, columns }));
      if (isCut) process.stdout.write(paint.dim(`the newest ${limit} trajectories; --limit takes more\n`));
    });
  },
});

async function readDetails(
  library: LibraryClient,
  filter: TrajectoryFilter,
  limit: number,
): Promise<{ details: TrajectoryDetail[]; isCut: boolean }> {
  const details: TrajectoryDetail[] = [];
  let cursor: string | undefined;
  do {
    const page = await library.listTrajectories({ filter, limit: Math.min(PAGE, limit - details.length), cursor });
    for (const { trajectory_id: id } of page.trajectories) {
      const detail = await library.readTrajectory(id);
      // One may be forgotten between the two questions.
      if (detail !== undefined) details.push(detail);
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && details.length < limit);
  return { details, isCut: cursor !== undefined };
}
