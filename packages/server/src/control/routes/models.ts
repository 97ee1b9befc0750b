import {
  improvementListSchema,
  improvementQuerySchema,
  lineageQuerySchema,
  lineageSchema,
  modelChangeSchema,
  modelDetailSchema,
  modelPromotionSchema,
  modelQuerySchema,
  modelVersionListSchema,
} from '@lachesis/protocol';
import type { Store } from '@lachesis/store';
import { defineRoute } from '../../http/define-route.ts';
import { jsonBody } from '../../http/read-body.ts';
import { refuseNul } from '../../http/read-query.ts';
import type { Route } from '../../http/route.ts';
import { listModelImprovements } from '../../services/models/improvements.ts';
import { readLineage } from '../../services/models/lineage.ts';
import {
  listRegisteredModels,
  nameOf,
  promoteRegisteredModel,
  rollBackModel,
  showModel,
} from '../../services/models/models.ts';

/** Registered models, what their names serve, and what was made from what. The models of an inference server are its own. */
export function createModelRoutes({ store }: { store: Store }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/models',
      scope: 'view',
      summary: 'Registered models, the newest version first, and which one each name serves.',
      query: modelQuerySchema,
      reply: modelVersionListSchema,
      handle: async ({ principal: { tenantId }, query }) => ({
        models: await listRegisteredModels({ store, tenantId, name: query.name }),
      }),
    }),
    defineRoute({
      method: 'GET',
      path: '/models/:ref',
      scope: 'view',
      summary: 'One model: `name` for its newest version, `name@3` for the third, or an id.',
      reply: modelDetailSchema,
      handle: ({ principal: { tenantId }, params }) => showModel({ store, tenantId, ref: params.ref }),
    }),
    defineRoute({
      method: 'POST',
      path: '/models/:ref/promote',
      scope: 'run:admin',
      summary: 'Make a version the one its name serves. Inference servers of that name take it within a second.',
      body: jsonBody(modelChangeSchema),
      reply: modelPromotionSchema,
      handle: async ({ principal: { tenantId }, params, body: change, about }) => {
        refuseNul(Object.values(change), 'the change');
        const promotion = await promoteRegisteredModel({ store, tenantId, ref: params.ref, change });
        about({ model: nameOf(promotion) });
        return promotion;
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/models/:name/rollback',
      scope: 'run:admin',
      summary: 'Go back to what a name served before its last promotion.',
      body: jsonBody(modelChangeSchema),
      reply: modelPromotionSchema,
      handle: async ({ principal: { tenantId }, params, body: change, about }) => {
        refuseNul(Object.values(change), 'the change');
        const promotion = await rollBackModel({ store, tenantId, name: params.name, change });
        about({ model: nameOf(promotion) });
        return promotion;
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
      path: '/lineage/:what',
      scope: 'view',
      summary:
        'What something was made from and what was made of it: `model:support@2`, `feedback:<id>`, `reply:<id>`.',
      query: lineageQuerySchema,
      reply: lineageSchema,
      handle: ({ principal: { tenantId }, params, query }) =>
        readLineage({ store, tenantId, what: params.what, limit: query.limit }),
    }),
  ];
}
