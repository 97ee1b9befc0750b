import { serveTrajectoryApi } from '../../../../packages/server/src/trajectory-api/child.ts';

/** Mutant: what is only answered is answered from memory, whoever else wrote meanwhile. */
await serveTrajectoryApi({ persistence: (real) => ({ ...real, isShared: false }) });
