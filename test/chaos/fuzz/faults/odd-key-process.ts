import { serveTrajectoryApi } from '../../../../packages/server/src/trajectory-api/child.ts';

/** The trajectory API with an index that a careless author could have written: keys as the properties of an object. */
const seen: Record<string, { times: number }> = {};
await serveTrajectoryApi({
  idempotency: (real) => ({
    async find(request) {
      const entry = (seen[request.key] ??= { times: 0 });
      if (!Object.hasOwn(seen, request.key)) throw new TypeError(`the entry of ${request.key} is not ours`);
      entry.times += 1;
      return real.find(request);
    },
  }),
});
