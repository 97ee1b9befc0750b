import type { FeedbackInput, TrajectoryDetail, TrajectorySummary } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import { cleanText } from '../terminal/clean-text.ts';
import type { KeyReader } from '../terminal/key-reader.ts';
import type { Paint } from '../terminal/paint.ts';
import { wrapText } from '../terminal/text-width.ts';
import { lastReply, messageText, pairReplies } from '@lachesis/protocol/conversation';

/** Two replies to one prompt. */
export interface RatePair {
  readonly task: string;
  readonly replies: readonly [TrajectoryDetail, TrajectoryDetail];
}

export interface RatePairsOptions {
  readonly library: Pick<LibraryClient, 'writeFeedback'>;
  readonly pairs: readonly RatePair[];
  readonly keys: KeyReader;
  readonly write: (text: string) => void;
  readonly author: string;
  readonly paint: Paint;
  readonly columns: number;
  readonly clears: boolean;
}

const PAIR_KEYS = 'a the first is better  b the second  s neither  q quit';

/** Asks which of two is better, one key each. A choice is kept before the next pair is shown. */
export async function runPairLoop(options: RatePairsOptions): Promise<{ chosen: number; skipped: number }> {
  const { library, pairs, keys, write, author, paint } = options;
  const summary = { chosen: 0, skipped: 0 };
  for (const [index, pair] of pairs.entries()) {
    show(options, pair, index);
    for (;;) {
      const key = (await keys.next())?.toLowerCase();
      if (key === undefined || key === 'q' || key === '\u0003' || key === '\u0004') return summary;
      if (key === 's' || key === ' ') {
        summary.skipped += 1;
        break;
      }
      if (key !== 'a' && key !== 'b') continue;
      const [better, worse] = key === 'a' ? pair.replies : pair.replies.toReversed();
      try {
        await library.writeFeedback(toChoice(better, worse, author));
        summary.chosen += 1;
        break;
      } catch (error) {
        write(paint.red(`not kept: ${error instanceof Error ? error.message : String(error)}\n`));
      }
    }
  }
  return summary;
}

function toChoice(
  better: TrajectoryDetail | undefined,
  worse: TrajectoryDetail | undefined,
  author: string,
): FeedbackInput {
  const [left, right] = [better?.summary.trajectory_id ?? '', worse?.summary.trajectory_id ?? ''];
  return {
    trajectory_id: left,
    ...{ author, author_kind: 'person', kind: 'choice', over: { trajectory_id: right } },
    // The same pair asked again revises the answer, whichever of the two was first.
    key: `choice:${[left, right].toSorted((one, other) => (one < other ? -1 : 1)).join(':')}`,
  };
}

function show(
  { write, paint, columns, clears, pairs }: RatePairsOptions,
  { task, replies }: RatePair,
  at: number,
): void {
  const lines = (text: string): string =>
    wrapText(cleanText(text.trim()), columns - 2)
      .map((line) => `  ${line}\n`)
      .join('');
  if (clears) write('\u001B[2J\u001B[H');
  write(`${paint.bold(`${at + 1} of ${pairs.length}`)}\n${paint.green('task')}\n${lines(task)}`);
  for (const [index, detail] of replies.entries()) {
    const name = index === 0 ? 'a' : 'b';
    write(`\n${paint.bold(paint.blue(name))} ${paint.dim(detail.summary.model ?? '')}\n${lines(lastReply(detail))}`);
  }
  write(`\n${paint.dim(PAIR_KEYS)}\n`);
}

/** Trajectories with the same first request and another last reply, two and two. */
export async function findPairs(
  library: Pick<LibraryClient, 'readTrajectory'>,
  trajectories: AsyncIterable<TrajectorySummary>,
  limit: number,
): Promise<RatePair[]> {
  const pairs: RatePair[] = [];
  if (limit === 0) return pairs;
  for await (const replies of pairReplies(readAll(library, trajectories))) {
    const [{ turns, summary }] = replies;
    const task = turns[0]?.messages.findLast(({ role }) => role === 'user');
    pairs.push({ task: task === undefined ? summary.title : messageText(task), replies });
    if (pairs.length >= limit) break;
  }
  return pairs;
}

async function* readAll(
  library: Pick<LibraryClient, 'readTrajectory'>,
  trajectories: AsyncIterable<TrajectorySummary>,
): AsyncGenerator<TrajectoryDetail, void> {
  for await (const { trajectory_id: id } of trajectories) {
    const detail = await library.readTrajectory(id);
    if (detail !== undefined) yield detail;
  }
}
