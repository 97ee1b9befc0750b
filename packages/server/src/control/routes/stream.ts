import { streamSchemas } from '@lachesis/protocol';
import { defineRoute, sentByHand } from '../../http/define-route.ts';
import type { Route } from '../../http/route.ts';
import { streamEvents, type EventStream } from '../../http/stream-events.ts';
import { openTopic, type Topic, type TopicDeps } from '../streams/topics.ts';

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
      const topics: Topic[] = [];
      for (const asked of call.query.topics) topics.push(await openTopic(deps, tenantId, asked));
      return await streamEvents(call, {
        monotonic: deps.monotonic,
        wait: deps.ticks.next,
        follow: (stream) => follow(stream, topics),
      });
    },
  });
}

async function follow(stream: EventStream, topics: readonly Topic[]): Promise<void> {
  let hasWaited = false;
  while (!stream.signal.aborted) {
    let hasTold = false;
    for (const topic of topics) {
      for (const { event, at, data } of await topic.look(hasWaited)) {
        hasTold = true;
        const id = at === null ? {} : { id: `${topic.name}@${at}` };
        await stream.send({ ...id, event, data: { topic: topic.name, at, ...data } });
        if (stream.signal.aborted) return;
      }
    }
    // Of a long history a part is given at a time: who was told something asks again at once.
    if (hasTold) continue;
    await stream.pause();
    // From here on it is where the others are, and hundreds of pages read once what all of them are told.
    hasWaited = true;
  }
}
