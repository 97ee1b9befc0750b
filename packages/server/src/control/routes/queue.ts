import { ratingQueueSchemas } from '@lachesis/protocol';
import { defineRoute } from '../../http/define-route.ts';
import { jsonBody } from '../../http/read-body.ts';
import type { Route } from '../../http/route.ts';
import { handOutRatings, releaseRatings } from '../../services/library/rating-queue.ts';
import type { LibraryDeps } from './library-deps.ts';

/** What there is to rate, for several raters at once. */
export function createQueueRoutes({ store, drain }: Pick<LibraryDeps, 'drain' | 'store'>): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/queue/next',
      scope: 'feedback:write',
      audit: 'count',
      summary: 'The next trajectories to rate, leased to one seat: no two seats are given the same.',
      body: jsonBody(ratingQueueSchemas.request),
      reply: ratingQueueSchemas.reply,
      handle: async ({ principal: { tenantId }, body }) => {
        // As a list does: what was recorded a moment ago is there to be rated.
        if (body.cursor === undefined) await drain?.();
        return await handOutRatings({ store, tenantId }, body);
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/queue/release',
      scope: 'feedback:write',
      audit: 'count',
      summary: 'Give back what a seat will not rate, so that others need not wait for the end of its lease.',
      body: jsonBody(ratingQueueSchemas.release),
      reply: ratingQueueSchemas.released,
      handle: ({ principal: { tenantId }, body }) => releaseRatings({ store, tenantId }, body),
    }),
  ];
}
