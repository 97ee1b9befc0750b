import type { TrajectoryFilter, TrajectorySummary } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import { defineCommand } from 'citty';
import { fail } from '../terminal/fail.ts';
import { createKeyReader } from '../terminal/key-reader.ts';
import { runRateLoop } from '../library/rate-loop.ts';
import { findPairs, runPairLoop } from '../library/rate-pairs.ts';
import { openRatingQueue, type RatingQueue } from '../library/rating-queue.ts';
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
  pairs: { type: 'boolean', description: 'show two replies to one prompt, and ask which is better' },
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
        if (args.pairs === true) {
          const shared = { library, keys, author: readAuthor(args), ...readScreen(), clears: output.isTTY };
          const pairs = await findPairs(library, walk(library, filter, Infinity), limit);
          const chosen = await runPairLoop({ ...shared, pairs, write: (text) => void output.write(text) });
          if (isJson) writeJson({ pairs: pairs.length, ...chosen });
          else process.stdout.write(describePairs(pairs.length, chosen));
          return;
        }
        await using queue =
          args.all === true ? walkAll(library, filter, limit) : openRatingQueue({ library, filter, limit });
        const summary = await runRateLoop({
          library,
          ...queue,
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
          if (seen === 0) process.stdout.write(await describeNothing(library, filter));
          else process.stdout.write(`rated ${rated}, edited ${edited}, commented ${commented}, skipped ${skipped}\n`);
        }
      } finally {
        keys.close();
      }
    });
  },
});

/** What has a rating may have another: nobody waits for anybody. */
const walkAll = (library: LibraryClient, filter: TrajectoryFilter, limit: number): RatingQueue => ({
  trajectories: walk(library, filter, limit),
  total: () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
});

function describePairs(pairs: number, { chosen, skipped }: { chosen: number; skipped: number }): string {
  if (pairs > 0) return `chose ${chosen} of ${pairs} pairs, skipped ${skipped}\n`;
  return 'there are no two replies to one prompt; `lachesis rate` rates them one by one\n';
}

/** Nothing recorded and everything rated are two things. */
async function describeNothing(library: LibraryClient, filter: TrajectoryFilter): Promise<string> {
  const { trajectories } = await library.listTrajectories({ filter, limit: 1 });
  if (trajectories.length > 0) return 'nothing was rated; --all shows what has a rating too\n';
  return Object.keys(filter).length > 0
    ? 'no trajectory fits; `lachesis trajectories list` shows what there is\n'
    : 'nothing is recorded yet; `lachesis up` starts a gateway that records\n';
}

/** Page by page, by arrival: what is rated meanwhile does not shift them. */
async function* walk(
  library: LibraryClient,
  filter: TrajectoryFilter,
  limit: number,
): AsyncGenerator<TrajectorySummary> {
  let given = 0;
  for (let cursor: string | undefined; given < limit;) {
    const page = await library.listTrajectories({ filter, limit: PAGE, cursor });
    for (const each of page.trajectories) {
      if (given >= limit) return;
      given += 1;
      yield each;
    }
    if (page.next_cursor === null) return;
    cursor = page.next_cursor;
  }
}
