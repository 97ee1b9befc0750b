import { serveTrajectoryApi } from '../../../../packages/server/src/trajectory-api/child.ts';

/** Mutant: the queue lives in memory only, as in the original server. */
await serveTrajectoryApi({
  persistence: (real) => ({
    ...real,
    isShared: false,
    load: () => Promise.resolve(null),
    commit: async () => ({ databaseNow: await real.now() }),
  }),
});
