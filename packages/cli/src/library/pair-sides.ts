import type { TrajectoryDetail, TrajectoryFilter, TrajectorySummary } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import { diffMessages, joinMessages, messageText } from '@lachesis/protocol/conversation';

type Reader = Pick<LibraryClient, 'listTrajectories' | 'readTrajectory'>;

/** What a pair came to on one side. */
interface PairSide {
  trajectory_id: string;
  outcome: string;
  reward: number | null;
}

/** The same task on both sides. */
export interface TaskPair {
  /** The first words of a user. */
  task: string;
  left: PairSide;
  right: PairSide;
  /** Reward of the right minus that of the left; null where one has none. */
  gain: number | null;
  is_changed: boolean;
  first_difference: string | null;
}

export interface PairedSides {
  pairs: TaskPair[];
  /** Tasks that one side has alone. */
  left_alone: number;
  right_alone: number;
}

const PAGE = 500;

/** What is meant by a name: a source such as `batch:nightly`, a model, or both as `batch:nightly#gpt-4o`. Undefined: nothing is. */
export async function findSide(library: Reader, name: string): Promise<TrajectoryFilter | undefined> {
  const at = name.lastIndexOf('#');
  const filters: TrajectoryFilter[] = [
    { source: name },
    { model: name },
    { tag: name },
    ...(at > 0 ? [{ source: name.slice(0, at), model: name.slice(at + 1) }] : []),
  ];
  for (const filter of filters)
    if ((await library.listTrajectories({ filter, limit: 1 })).trajectories.length > 0) return filter;
  return undefined;
}

/** Pairs what two filters find by what the user first asked; of several with the same task the first goes with the first. */
export async function pairSides(
  library: Reader,
  left: TrajectoryFilter,
  right: TrajectoryFilter,
): Promise<PairedSides> {
  const [ofLeft, ofRight] = [await readSide(library, left), await readSide(library, right)];
  const waiting = Map.groupBy(ofRight, ({ task }) => task);
  const pairs: TaskPair[] = [];
  let alone = 0;
  for (const one of ofLeft) {
    const other = waiting.get(one.task)?.shift();
    if (other === undefined) alone += 1;
    else pairs.push(comparePair(one, other));
  }
  const rest = [...waiting.values()].reduce((sum, some) => sum + some.length, 0);
  return { pairs: pairs.toSorted(byHarm), left_alone: alone, right_alone: rest };
}

interface SideRow {
  task: string;
  summary: TrajectorySummary;
  detail: TrajectoryDetail;
}

async function readSide(library: Reader, filter: TrajectoryFilter): Promise<SideRow[]> {
  const rows: SideRow[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await library.listTrajectories({ filter, limit: PAGE, cursor, order: 'oldest' });
    for (const summary of page.trajectories) {
      const detail = await library.readTrajectory(summary.trajectory_id);
      // Forgotten since it was listed.
      if (detail === undefined) continue;
      const asked = detail.turns[0]?.messages.find(({ role }) => role === 'user');
      rows.push({ task: asked === undefined ? summary.title : messageText(asked).trim(), summary, detail });
    }
    if (page.next_cursor === null) return rows;
    cursor = page.next_cursor;
  }
}

function comparePair(left: SideRow, right: SideRow): TaskPair {
  const [own, other] = [toSide(left), toSide(right)];
  const { first } = diffMessages(joinMessages(left.detail.turns), joinMessages(right.detail.turns));
  return {
    task: left.task,
    left: own,
    right: other,
    gain: own.reward === null || other.reward === null ? null : other.reward - own.reward,
    is_changed: own.outcome !== other.outcome || own.reward !== other.reward,
    first_difference: first?.what ?? null,
  };
}

/** What people said counts where nothing was scored. */
const toSide = ({
  summary: { trajectory_id: id, outcome, reward, rating, error_count: errors },
}: SideRow): PairSide => ({
  trajectory_id: id,
  outcome: outcome ?? (errors > 0 ? 'failed' : 'open'),
  reward: reward ?? rating,
});

/** The worst first: what the right one fails at, then what it got less for, then what merely differs. */
function byHarm(left: TaskPair, right: TaskPair): number {
  return harmOf(right) - harmOf(left);
}

function harmOf({ left, right, gain, first_difference: difference }: TaskPair): number {
  if (left.outcome !== 'failed' && right.outcome === 'failed') return Number.POSITIVE_INFINITY;
  if (gain !== null && gain !== 0) return -gain;
  return difference === null ? -0.000_002 : -0.000_001;
}
