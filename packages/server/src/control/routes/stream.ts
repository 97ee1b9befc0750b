import { streamSchemas } from '@lachesis/protocol';
import { defineRoute, sentByHand } from '../../http/define-route.ts';
import type { Route } from '../../http/route.ts';
import { streamEvents, type EventStream } from '../../http/stream-events.ts';
import type { Ticks } from '../streams/ticks.ts';
import { openTopic, type Place, type TopicDeps } from '../streams/topics.ts';

/** One stream for everything that a page shows: browsers allow six connections to a server. */
export function createStreamRoute(deps: TopicDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/stream',
    scope: 'view',
    audit: 'none',
    summary: 'Several topics as one stream of server-sent events, each from where its reader was.',
    query: streamSchemas.query,
    reply: sentByHand('text/event-stream', streamSchemas.event),
    handle: async (call) => {
      const { tenantId } = call.principal;
      const places: Place[] = [];
      for (const asked of call.query.topics) places.push(await openTopic(deps, tenantId, asked));
      return await streamEvents(call, {
        monotonic: deps.monotonic,
        wait: deps.ticks.next,
        follow: (stream) => follow(stream, places, deps.ticks),
      });
    },
  });
}

async function follow(stream: EventStream, places: Place[], ticks: Ticks): Promise<void> {
  let hasWaited = false;
  while (!stream.signal.aborted) {
    let hasTold = false;
    for (const [index, { key, look }] of places.entries()) {
      // Who has waited is where the others are, and hundreds of pages read once what all of them are told. Who catches up
      // shares with those who do so at this moment, and what was read for them is not kept.
      const { events, next } = await (hasWaited ? ticks.share(key, look) : ticks.join(key, look));
      places[index] = next;
      if (events === undefined) continue;
      hasTold = true;
      await stream.sendEncoded(events);
      if (stream.signal.aborted) return;
    }
    // Of a long history a part is given at a time: who was told something asks again at once.
    if (hasTold) continue;
    await stream.pause();
    hasWaited = true;
  }
}
