import { isAskedFor, type TrajectoryDetail, type TrajectoryFilter } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';

const PAGE = 100;

/** Trajectories that a filter finds, whole, one after the other. */
export async function* walkTrajectories(
  library: Pick<LibraryClient, 'listTrajectories' | 'readTrajectory'>,
  filter: TrajectoryFilter,
  limit: number,
  signal?: AbortSignal,
): AsyncGenerator<TrajectoryDetail> {
  let given = 0;
  for (let cursor: string | undefined; ;) {
    const page = await library.listTrajectories({ filter, limit: PAGE, cursor });
    for (const { trajectory_id: id, source } of page.trajectories) {
      // What no application recorded is rated where it is asked for by name.
      if (!isAskedFor(source, filter)) continue;
      if (given >= limit) return;
      signal?.throwIfAborted();
      const detail = await library.readTrajectory(id);
      // Forgotten since it was listed.
      if (detail === undefined) continue;
      given += 1;
      yield detail;
    }
    if (page.next_cursor === null) return;
    cursor = page.next_cursor;
  }
}
