import { serveTrajectoryApi } from '../../../../packages/server/src/trajectory-api/child.ts';

/** Mutant: PostgreSQL answers a commit before it is on disk. */
await serveTrajectoryApi({
  openStore: (real) => (options) => real({ ...options, sessionSettings: { synchronous_commit: 'off' } }),
});
