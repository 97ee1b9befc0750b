import type { TrajectoryDetail, TrajectorySummary } from '@lachesis/protocol';
import { pairReplies } from '@lachesis/protocol/conversation';
import type { RateItem } from './create-rating.ts';

export interface ItemSource {
  /** What there is, page by page, with the cursor of the next one. */
  readonly list: (cursor: string | undefined) => Promise<{ rows: readonly TrajectorySummary[]; next: string | null }>;
  /** Undefined for what was forgotten since it was listed. */
  readonly read: (id: string) => Promise<TrajectoryDetail | undefined>;
  /** Whether nobody has chosen between two yet; absent where all are shown. */
  readonly isOpen?: ((ids: readonly [string, string]) => Promise<boolean>) | undefined;
  /** Holds two for whoever asks; false when somebody else has one of them. */
  readonly claim?: ((ids: readonly [string, string]) => Promise<boolean>) | undefined;
}

/** So many are asked for at once: one that takes long does not hold up those behind it. */
const AT_ONCE = 4;

/** Trajectories one by one. */
export async function* findSingles(source: ItemSource): AsyncGenerator<RateItem, void> {
  for await (const detail of readAhead(source, walk(source))) yield { details: [detail] };
}

/** One trajectory that was named. */
export async function* findNamed(source: ItemSource, id: string): AsyncGenerator<RateItem, void> {
  const detail = await source.read(id);
  if (detail !== undefined) yield { details: [detail] };
}

/** Two and two: the same first request, and another last reply. One that somebody has, or has chosen between, is passed over. */
export async function* findPairs(source: ItemSource): AsyncGenerator<RateItem, void> {
  for await (const details of pairReplies(readAhead(source, walk(source)))) {
    const ids = [details[0].summary.trajectory_id, details[1].summary.trajectory_id] as const;
    if ((await source.isOpen?.(ids)) !== false && (await source.claim?.(ids)) !== false) yield { details };
  }
}

async function* readAhead(
  source: ItemSource,
  summaries: AsyncGenerator<TrajectorySummary, void>,
): AsyncGenerator<TrajectoryDetail, void> {
  const reading: Promise<TrajectoryDetail | undefined>[] = [];
  for (let isWhole = false; !isWhole || reading.length > 0;) {
    while (!isWhole && reading.length < AT_ONCE) {
      const { value, done } = await summaries.next();
      if (done === true) isWhole = true;
      else {
        const read = source.read(value.trajectory_id);
        // What goes wrong is told when it is its turn.
        read.catch(() => undefined);
        reading.push(read);
      }
    }
    const detail = await reading.shift();
    if (detail !== undefined) yield detail;
  }
}

async function* walk(source: ItemSource): AsyncGenerator<TrajectorySummary, void> {
  for (let cursor: string | undefined; ;) {
    const { rows, next } = await source.list(cursor);
    yield* rows;
    if (next === null) return;
    cursor = next;
  }
}
