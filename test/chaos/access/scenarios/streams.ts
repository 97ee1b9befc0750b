import type { Scenario } from '../../../scenarios/scenario.ts';
import { endStreams } from '../streams/end-streams.ts';
import { listStreams } from '../streams/list-streams.ts';
import { openServers } from '../subject/open-servers.ts';

/** The promise is about a second; a busy machine answers its database later. */
const LONGEST_MS = 2_000;

export const streamsScenario: Scenario = {
  name: 'streams',
  title: 'streams and waits of every server end with the token they were opened with',
  async run(context) {
    const servers = await openServers(context);
    for (const way of ['revoked', 'expired'] as const) {
      const { streams, wereOpen } = await endStreams({
        ...{ store: servers.store, way },
        list: (token, pathKey) => listStreams(servers, token, pathKey),
      });
      const slowest = Math.max(...streams.map(({ ms }) => ms ?? Number.POSITIVE_INFINITY));
      for (const { name, ms } of streams)
        context.log(`${way}, ${name}: ${ms === undefined ? 'goes on' : `${ms.toFixed(0)} ms`}`);
      context.report({
        name: `${streams.length} streams of a token that is ${way}`,
        figure: Number.isFinite(slowest) ? `ended within ${slowest.toFixed(0)} ms` : 'some go on',
        bar: `≤ ${LONGEST_MS} ms, and open before`,
        ok: slowest <= LONGEST_MS && wereOpen,
        onlyByClock: Number.isFinite(slowest) && wereOpen,
      });
    }
  },
};
