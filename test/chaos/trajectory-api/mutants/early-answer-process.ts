import { serveTrajectoryApi } from '../../../../packages/server/src/trajectory-api/child.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const LATER_MS = 50;

/** Mutant: what is committed is answered at once and written a moment later. */
await serveTrajectoryApi({
  persistence: (real) => {
    let writing: Promise<unknown> = Promise.resolve();
    return {
      ...real,
      async commit(state, changes) {
        // A later transaction goes on changing these, so the writer gets copies; the statistics are not written.
        const { statistics, ...rows } = state;
        const copy = structuredClone({ rows, changes });
        writing = writing
          .then(() => sleep(LATER_MS))
          .then(() => real.commit({ ...copy.rows, statistics }, copy.changes));
        writing.catch((error: unknown) => process.stderr.write(`written too late: ${String(error)}\n`));
        return { databaseNow: await real.now() };
      },
    };
  },
});
