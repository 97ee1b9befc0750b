import { serveTrajectoryApi } from '../../../../packages/server/src/trajectory-api/child.ts';

/** Mutant: idempotency keys are neither written nor looked up, so a retry is a new group. */
await serveTrajectoryApi({
  idempotency: () => ({ find: () => Promise.resolve(null) }),
  persistence: (real) => ({
    ...real,
    commit: (state, changes) => real.commit(state, { ...changes, idempotency: [] }),
  }),
});
