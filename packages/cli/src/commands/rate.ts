import type { TrajectoryFilter, TrajectorySummary } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import { defineCommand } from 'citty';
import { fail } from '../terminal/fail.ts';
import { createKeyReader } from '../terminal/key-reader.ts';
import { runRateLoop } from '../library/rate-loop.ts';
import { readWholeNumber } from '../flags/read-value.ts';
import { refuseUnknownFlags } from '../flags/setting-flags.ts';
import { authorFlag, readAuthor } from '../flags/author.ts';
import { editInEditor } from '../terminal/edit-in-editor.ts';
import { filterFlags, readFilter } from '../flags/filter.ts';
import { readScreen, writeJson } from '../terminal/screen.ts';
import { libraryFlags, withLibrary } from '../flags/library/library.ts';

const flags = {
  ...filterFlags,
  text: { type: 'string', description: 'in which this was said' },
  all: { type: 'boolean', description: 'also what people have rated already' },
  limit: { type: 'string', description: 'at most so many' },
  ...authorFlag,
  ...libraryFlags,
} as const;

const PAGE = 200;

export const rateCommand = defineCommand({
  meta: { name: 'rate', description: 'Rate trajectories, one key each.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const filter: TrajectoryFilter = {
      ...readFilter(args, Date.now()),
      ...(args.text === undefined ? {} : { text: args.text }),
    };
    const limit = readWholeNumber('limit', args.limit) ?? Number.POSITIVE_INFINITY;
    const isJson = args.json === true;
    // With --json standard output holds the result alone.
    const output = isJson ? process.stderr : process.stdout;
    if (!process.stdin.isTTY && process.stdin.readableEnded) fail('there is no keyboard to rate with.');
    await withLibrary(args, async (library) => {
      const keys = createKeyReader(process.stdin);
      try {
        const summary = await runRateLoop({
          library,
          trajectories: walk(library, filter, { limit, isAll: args.all === true }),
          keys,
          write: (text) => void output.write(text),
          editText: editInEditor,
          author: readAuthor(args),
          ...readScreen(),
          clears: output.isTTY,
        });
        if (isJson) writeJson(summary);
        else {
          const { rated, edited, commented, skipped } = summary;
          const seen = rated + edited + commented + skipped;
          if (seen === 0) process.stdout.write('nothing was rated; --all shows what has a rating too\n');
          else process.stdout.write(`rated ${rated}, edited ${edited}, commented ${commented}, skipped ${skipped}\n`);
        }
      } finally {
        keys.close();
      }
    });
  },
});

/** Page by page, by arrival: what is rated meanwhile does not shift them. */
async function* walk(
  library: LibraryClient,
  filter: TrajectoryFilter,
  { limit, isAll }: { limit: number; isAll: boolean },
): AsyncGenerator<TrajectorySummary> {
  let given = 0;
  for (let cursor: string | undefined; given < limit;) {
    const page = await library.listTrajectories({ filter, limit: PAGE, cursor });
    for (const each of page.trajectories) {
      if (given >= limit) return;
      // What a judge or a rule has scored is still to be rated by somebody.
      if (!isAll && each.rating !== null) continue;
      given += 1;
      yield each;
    }
    if (page.next_cursor === null) return;
    cursor = page.next_cursor;
  }
}
