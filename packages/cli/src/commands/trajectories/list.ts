import type { TrajectoryFilter } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import { defineCommand } from 'citty';
import { renderList } from '../../library/render-list.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { filterFlags, readFilter } from '../../flags/filter.ts';
import { readScreen, writeJson } from '../../terminal/screen.ts';
import { libraryFlags, withLibrary } from '../../flags/library/library.ts';

const listFlags = {
  ...filterFlags,
  limit: { type: 'string', description: 'at most so many (default: 50)' },
  cursor: { type: 'string', description: 'go on where the page before ended' },
  ...libraryFlags,
} as const;

const LARGEST_PAGE = 1_000;

export const trajectoriesListCommand = defineCommand({
  meta: { name: 'list', description: 'List trajectories, newest first.' },
  args: listFlags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(listFlags, rawArgs);
    await withLibrary(args, (library) => printPage(library, readFilter(args, Date.now()), args));
  },
});

const searchFlags = {
  ...listFlags,
  text: { type: 'positional', required: true, description: 'words that were said, names of tools, or an id' },
} as const;

export const trajectoriesSearchCommand = defineCommand({
  meta: { name: 'search', description: 'Find trajectories by what was said in them.' },
  args: searchFlags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(searchFlags, rawArgs);
    const filter = { ...readFilter(args, Date.now()), text: [args.text, ...args._.slice(1)].join(' ') };
    await withLibrary(args, (library) => printPage(library, filter, args));
  },
});

async function printPage(
  library: LibraryClient,
  filter: TrajectoryFilter,
  args: { limit?: string | undefined; cursor?: string | undefined; json?: boolean | undefined },
): Promise<void> {
  const limit = Math.min(LARGEST_PAGE, Math.max(1, readWholeNumber('limit', args.limit) ?? 50));
  const page = await library.listTrajectories({ filter, limit, cursor: args.cursor });
  if (args.json === true) {
    writeJson(page);
    return;
  }
  if (page.trajectories.length === 0) {
    const isNarrow = Object.keys(filter).length > 0;
    process.stdout.write(
      isNarrow ? 'no trajectory fits\n' : 'nothing is recorded yet; `lachesis up` starts a gateway that records\n',
    );
    return;
  }
  const { paint, columns } = readScreen();
  process.stdout.write(renderList(page.trajectories, { paint, columns, now: Date.now() }));
  if (page.next_cursor !== null) process.stdout.write(paint.dim(`more: --cursor ${page.next_cursor}\n`));
}
