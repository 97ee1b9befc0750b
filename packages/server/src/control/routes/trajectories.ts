import {
  forgetReceiptSchema,
  forgetRequestSchema,
  tagRequestSchema,
  trajectoryDetailSchema,
  trajectoryFilterSchema,
  trajectoryPageSchema,
  trajectoryReadSchemas,
  trajectorySummarySchema,
  type ForgetReceipt,
  type TrajectoryPage,
  type TrajectorySummary,
} from '@lachesis/protocol';
import {
  findPages,
  forgetTrajectories,
  listTrajectories,
  setConsent,
  tagTrajectory,
  TRAJECTORY_ORDERS,
} from '@lachesis/store';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { jsonBody } from '../../http/read-body.ts';
import { refuseNul } from '../../http/read-query.ts';
import type { Route } from '../../http/route.ts';
import { findTrajectoryId } from '../../services/library/find-by-beginning.ts';
import { missingTrajectory } from '../../services/library/missing-trajectory.ts';
import { readTurnsFrom, withoutTokens } from '../../services/library/read-turn.ts';
import type { LibraryDeps } from './library-deps.ts';

const DEFAULT_PAGE = 50;
/** A page is held in memory twice, as rows and as JSON. */
const LARGEST_PAGE = 1_000;
/** So that a million trajectories are no more than ten thousand cursors. */
const SMALLEST_PAGES = 100;

const listQuerySchema = trajectoryFilterSchema.extend({
  limit: z.int().min(1).max(LARGEST_PAGE).default(DEFAULT_PAGE),
  cursor: z.string().max(500).optional(),
  order: z.enum(TRAJECTORY_ORDERS).optional(),
  /** Rows of a page: the reply then says where all pages behind the cursor begin. The whole list is gone through for it. */
  pages: z.int().min(SMALLEST_PAGES).max(LARGEST_PAGE).optional(),
});

/** Trajectories: found, read, tagged, forgotten. */
export function createTrajectoryRoutes(parts: LibraryDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/trajectories',
      scope: 'view',
      summary: 'Trajectories, newest first; the query narrows them, `text` searches in what was said.',
      query: listQuerySchema,
      reply: trajectoryPageSchema,
      handle: async ({ principal, query }) => {
        // As at home: what an application left a moment ago is there to be seen. Further pages go on with what the first one saw.
        if (query.cursor === undefined) await parts.drain?.();
        return await list(parts, principal.tenantId, query);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/trajectories/:id',
      scope: 'view',
      summary:
        'One trajectory with its turns, by its id, the beginning of it, or its key, and what is known to be missing.',
      query: trajectoryReadSchemas.query,
      reply: trajectoryDetailSchema,
      handle: async ({ principal: { tenantId }, params, query: { tokens, from = 0, limit } }) => {
        const found = await readTurnsFrom({ ...parts, tenantId, ref: params.id, from, limit });
        return tokens === 'all' ? found : { ...found, turns: found.turns.map(withoutTokens) };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/trajectories/:id/tags',
      scope: 'feedback:write',
      summary: 'Add and remove tags, or change what may be done with it.',
      body: jsonBody(tagRequestSchema),
      reply: trajectorySummarySchema,
      handle: ({ principal, params, body }) => changeTags(parts, principal.tenantId, params.id, body),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/trajectories/:id',
      scope: 'admin',
      summary: 'Forget one trajectory: text, feedback and files. It does not come back when it is sent again.',
      reply: forgetReceiptSchema,
      handle: async ({ principal, params }) => {
        const receipt = await forget(parts, principal.tenantId, { trajectory_id: params.id });
        if (receipt.trajectories === 0) throw missingTrajectory(params.id);
        return receipt;
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/forget',
      scope: 'admin',
      summary: 'Forget one trajectory, or everything of one user; says which data sets hold rows made from it.',
      body: jsonBody(forgetRequestSchema),
      reply: forgetReceiptSchema,
      handle: ({ principal, body }) => forget(parts, principal.tenantId, body),
    }),
  ];
}

async function list(
  { store }: LibraryDeps,
  tenantId: string,
  { limit, cursor, order, pages: size, ...filter }: z.output<typeof listQuerySchema>,
): Promise<TrajectoryPage> {
  const from = {
    ...{ store, tenantId, filter },
    ...(cursor === undefined ? {} : { cursor }),
    ...(order === undefined ? {} : { order }),
  };
  const page = await listTrajectories({ ...from, limit });
  return size === undefined ? page : { ...page, pages: (await findPages({ ...from, size })) ?? null };
}

async function changeTags(
  parts: LibraryDeps,
  tenantId: string,
  ref: string,
  { add, remove, consent }: z.output<typeof tagRequestSchema>,
): Promise<TrajectorySummary> {
  const { store } = parts;
  refuseNul([...(add ?? []), ...(remove ?? [])], 'a tag');
  const trajectoryId = await findTrajectoryId({ store, tenantId, ref });
  if (trajectoryId === undefined) throw missingTrajectory(ref);
  if (add !== undefined || remove !== undefined) {
    await tagTrajectory({ store, tenantId, trajectoryId, add: add ?? [], remove: remove ?? [] });
  }
  if (consent !== undefined) await setConsent({ store, tenantId, trajectoryId, consent });
  return (await readTurnsFrom({ ...parts, tenantId, ref: trajectoryId, from: 0, limit: 1 })).summary;
}

async function forget(
  { store, blobs }: LibraryDeps,
  tenantId: string,
  request: z.output<typeof forgetRequestSchema>,
): Promise<ForgetReceipt> {
  refuseNul(Object.values(request), 'the request');
  return forgetTrajectories({
    store,
    blobs,
    tenantId,
    ...('user' in request ? { user: request.user } : { trajectoryId: request.trajectory_id }),
  });
}
