import { serveTrajectoryApi } from '../../../../packages/server/src/trajectory-api/child.ts';

/** Mutant: whoever names a batch may settle it, also when it was handed to somebody else meanwhile. */
await serveTrajectoryApi({ rules: (real) => ({ ...real, acceptsEpoch: () => true }) });
