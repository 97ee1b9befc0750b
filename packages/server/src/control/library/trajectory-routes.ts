import {
  forgetReceiptSchema,
  forgetRequestSchema,
  tagRequestSchema,
  trajectoryDetailSchema,
  trajectoryFilterSchema,
  trajectoryPageSchema,
  trajectorySummarySchema,
  type ForgetReceipt,
  type TrajectoryDetail,
  type TrajectoryPage,
  type TrajectorySummary,
} from '@lachesis/protocol';
import {
  forgetTrajectories,
  listTrajectories,
  readTrajectory,
  setConsent,
  tagTrajectory,
  TRAJECTORY_ORDERS,
} from '@lachesis/store';
import { z } from 'zod';
import type { Route, RouteCall } from '../../platform/http/route.ts';
import type { LibraryParts } from './library-parts.ts';
import { notFound } from './not-found.ts';
import { readBody, readParameter, readQuery, refuseNul } from './read-body.ts';

const DEFAULT_PAGE = 50;
/** A page is held in memory twice, as rows and as JSON. */
const LARGEST_PAGE = 1_000;

const listQuerySchema = trajectoryFilterSchema.extend({
  limit: z.int().min(1).max(LARGEST_PAGE).default(DEFAULT_PAGE),
  cursor: z.string().max(500).optional(),
  order: z.enum(TRAJECTORY_ORDERS).optional(),
});

/** Trajectories: found, read, tagged, forgotten. */
export function createTrajectoryRoutes(parts: LibraryParts): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/trajectories',
      scope: 'view',
      perRun: false,
      summary: 'Trajectories, newest first; the query narrows them, `text` searches in what was said.',
      query: listQuerySchema,
      response: { contentType: 'application/json', schema: trajectoryPageSchema },
      handle: (call) => list(parts, call),
    },
    {
      method: 'GET',
      path: '/v1/trajectories/:id',
      scope: 'view',
      perRun: false,
      summary: 'One trajectory with its turns, and what is known to be missing.',
      response: { contentType: 'application/json', schema: trajectoryDetailSchema },
      handle: ({ request, principal }) => read(parts, principal.tenantId, readParameter(request, 'id')),
    },
    {
      method: 'POST',
      path: '/v1/trajectories/:id/tags',
      scope: 'feedback:write',
      perRun: false,
      summary: 'Add and remove tags, or change what may be done with it.',
      body: { contentType: 'application/json', schema: tagRequestSchema },
      response: { contentType: 'application/json', schema: trajectorySummarySchema },
      handle: (call) => changeTags(parts, call),
    },
    {
      method: 'DELETE',
      path: '/v1/trajectories/:id',
      scope: 'admin',
      perRun: false,
      summary: 'Forget one trajectory: text, feedback and files. It does not come back when it is sent again.',
      response: { contentType: 'application/json', schema: forgetReceiptSchema },
      handle: async ({ request, principal }) => {
        const trajectoryId = readParameter(request, 'id');
        const receipt = await forget(parts, principal.tenantId, { trajectory_id: trajectoryId });
        if (receipt.trajectories === 0) throw notFound(trajectoryId);
        return receipt;
      },
    },
    {
      method: 'POST',
      path: '/v1/forget',
      scope: 'admin',
      perRun: false,
      summary: 'Forget one trajectory, or everything of one user; says which data sets hold rows made from it.',
      body: { contentType: 'application/json', schema: forgetRequestSchema },
      response: { contentType: 'application/json', schema: forgetReceiptSchema },
      handle: async (call) => forget(parts, call.principal.tenantId, await readForget(call)),
    },
  ];
}

async function list({ store }: LibraryParts, { request, principal }: RouteCall): Promise<TrajectoryPage> {
  const { limit, cursor, order, ...filter } = readQuery(request, listQuerySchema);
  return listTrajectories({
    store,
    tenantId: principal.tenantId,
    filter,
    limit,
    ...(cursor === undefined ? {} : { cursor }),
    ...(order === undefined ? {} : { order }),
  });
}

async function read({ store, blobs }: LibraryParts, tenantId: string, trajectoryId: string): Promise<TrajectoryDetail> {
  const found = await readTrajectory({ store, blobs, tenantId, trajectoryId });
  if (found === undefined) throw notFound(trajectoryId);
  return found;
}

async function changeTags(parts: LibraryParts, call: RouteCall): Promise<TrajectorySummary> {
  const { store } = parts;
  const { tenantId } = call.principal;
  const trajectoryId = readParameter(call.request, 'id');
  const { add, remove, consent } = await readBody(call, tagRequestSchema);
  refuseNul([...(add ?? []), ...(remove ?? [])], 'a tag');
  if (add !== undefined || remove !== undefined) {
    await tagTrajectory({ store, tenantId, trajectoryId, add: add ?? [], remove: remove ?? [] });
  }
  if (consent !== undefined) await setConsent({ store, tenantId, trajectoryId, consent });
  return (await read(parts, tenantId, trajectoryId)).summary;
}

async function readForget(call: RouteCall): Promise<z.output<typeof forgetRequestSchema>> {
  const what = await readBody(call, forgetRequestSchema);
  refuseNul(Object.values(what), 'the request');
  return what;
}

function forget(
  { store, blobs }: LibraryParts,
  tenantId: string,
  request: z.output<typeof forgetRequestSchema>,
): Promise<ForgetReceipt> {
  return forgetTrajectories({
    store,
    blobs,
    tenantId,
    ...('user' in request ? { user: request.user } : { trajectoryId: request.trajectory_id }),
  });
}
