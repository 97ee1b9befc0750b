import { serveTrajectoryApi } from '../../../../packages/server/src/trajectory-api/child.ts';

/** The trajectory API with a fence that holds epochs in 32 bits. Only who holds a batch gets to it. */
await serveTrajectoryApi({
  rules: (real) => ({
    ...real,
    acceptsEpoch(batch, epoch) {
      if (epoch > 2 ** 32 - 1) throw new RangeError(`epoch ${epoch} does not fit`);
      return real.acceptsEpoch(batch, epoch);
    },
  }),
});
