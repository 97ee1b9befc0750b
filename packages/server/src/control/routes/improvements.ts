import {
  improvementListSchema,
  improvementQuerySchema,
  improvementSchema,
  improvementStartSchema,
  improvePlanSchema,
  type ModelImprovement,
} from '@lachesis/protocol';
import type { BlobStore, Store } from '@lachesis/store';
import { needScope } from '../../http/admit-request.ts';
import { defineRoute } from '../../http/define-route.ts';
import { jsonBody } from '../../http/read-body.ts';
import type { Route, RouteCall } from '../../http/route.ts';
import { listModelImprovements, showImprovement, stopImprovement } from '../../services/improve/improvements.ts';
import type { ServedImprovements } from '../../services/improve/served-improvements.ts';

/** From ratings to a better model in service: begin, look, stop, go on. */
export function createImprovementRoutes(deps: {
  store: Store;
  blobs: BlobStore;
  improvements: ServedImprovements;
}): Route[] {
  const { store, blobs, improvements } = deps;
  const name = <T extends ModelImprovement>(found: T, about: RouteCall['about']): T => {
    about({ improvement: found.improvement_id, model: found.model });
    return found;
  };
  return [
    defineRoute({
      method: 'POST',
      path: '/improvements',
      scope: 'run:admin',
      summary:
        'Begin an improvement of a model, or find the one that is open. Answers at once; the server brings it on.',
      body: jsonBody(improvePlanSchema),
      reply: improvementStartSchema,
      handle: async ({ principal, body, about }) => {
        // Rules and a judge write ratings.
        if (body.rules !== null || body.judge !== null) needScope(principal, 'feedback:write');
        return name(await improvements.start(principal.tenantId, body), about);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/improvements',
      scope: 'view',
      summary: 'Improvements of models, the newest first: where each stands, and how it ended.',
      query: improvementQuerySchema,
      reply: improvementListSchema,
      handle: async ({ principal: { tenantId }, query }) => ({
        improvements: await listModelImprovements({ store, tenantId, model: query.model }),
      }),
    }),
    defineRoute({
      method: 'GET',
      path: '/improvements/:ref',
      scope: 'view',
      audit: 'none',
      summary: 'One improvement: by its id or the beginning of it, or the newest of a model by the name of the model.',
      reply: improvementSchema,
      handle: ({ principal: { tenantId }, params }) => showImprovement({ store, tenantId, ref: params.ref }),
    }),
    defineRoute({
      method: 'POST',
      path: '/improvements/:ref/stop',
      scope: 'run:admin',
      summary: 'End an improvement. Nothing of it is promoted from then on; its ratings are there for the next one.',
      reply: improvementSchema,
      handle: async ({ principal: { tenantId }, params: { ref }, about }) =>
        name(await stopImprovement({ store, blobs, tenantId, ref, reason: 'it was asked for' }), about),
    }),
    defineRoute({
      method: 'POST',
      path: '/improvements/:ref/resume',
      scope: 'run:admin',
      summary: 'Have an improvement go on that was interrupted, with its own settings; the server brings it on.',
      reply: improvementSchema,
      handle: async ({ principal: { tenantId }, params, about }) =>
        name(await improvements.resume(tenantId, params.ref), about),
    }),
  ];
}
