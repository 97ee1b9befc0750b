import type { TrajectoryDetail } from '@lachesis/protocol';
import { readTrajectory, type BlobStore } from '@lachesis/store';
import { findTrajectoryId, type Named } from './find-by-beginning.ts';

/** All of one trajectory, by its id, the beginning of it, or the key that its recorder gave; undefined when there is none. */
export async function readNamedTrajectory(
  options: Named & { blobs: BlobStore },
): Promise<TrajectoryDetail | undefined> {
  const trajectoryId = await findTrajectoryId(options);
  return trajectoryId === undefined ? undefined : await readTrajectory({ ...options, trajectoryId });
}
