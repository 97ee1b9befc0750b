import { LachesisError } from '@lachesis/protocol';

/** No trajectory with this id, beginning or key, or none that this tenant may know of. */
export function missingTrajectory(trajectoryId: string): LachesisError {
  return new LachesisError({
    code: 'not-found',
    message: `there is no trajectory ${JSON.stringify(trajectoryId.slice(0, 100))}`,
    hint: '`lachesis trajectories list` and GET /v1/trajectories show what there is; one that was forgotten does not come back.',
  });
}
