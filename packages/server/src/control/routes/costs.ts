import { costSchemas } from '@lachesis/protocol';
import { sumCosts } from '@lachesis/store';
import { defineRoute } from '../../http/define-route.ts';
import type { Route } from '../../http/route.ts';
import type { LibraryDeps } from './library-deps.ts';

/** What recorded calls have cost. */
export function createCostRoute({ store }: Pick<LibraryDeps, 'store'>): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/costs',
    scope: 'view',
    summary:
      'What recorded calls have cost, by run, model or day; what has no price is counted and not taken for nothing.',
    query: costSchemas.query,
    reply: costSchemas.reply,
    handle: async ({ principal: { tenantId }, query }) => ({
      by: query.by,
      ...(await sumCosts({ store, tenantId, ...query })),
    }),
  });
}
