import { LachesisError } from '@lachesis/protocol';

/** No trajectory with this id, or none that this tenant may know of. */
export function notFound(trajectoryId: string): LachesisError {
  return new LachesisError({
    code: 'not-found',
    message: `there is no trajectory ${JSON.stringify(trajectoryId.slice(0, 100))}`,
    hint: 'GET /v1/trajectories lists what there is; one that was forgotten does not come back.',
  });
}
