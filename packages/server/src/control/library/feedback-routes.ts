import {
  feedbackInputSchema,
  feedbackListSchema,
  feedbackQuerySchema,
  feedbackSchema,
  LachesisError,
  type Feedback,
} from '@lachesis/protocol';
import { listFeedback, readTrajectory, TrajectoryMissingError, withdrawFeedback, writeFeedback } from '@lachesis/store';
import { z } from 'zod';
import type { Route, RouteCall } from '../../platform/http/route.ts';
import type { LibraryParts } from './library-parts.ts';
import { notFound } from './not-found.ts';
import { readBody, readParameter, readQuery, refuseNul } from './read-body.ts';

/** A correction is a whole reply, tool calls included. */
const CORRECTION_BYTES = 1024 ** 2;

/** What people, rules and judges think. */
export function createFeedbackRoutes(parts: LibraryParts): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/feedback',
      scope: 'feedback:write',
      audit: 'count',
      perRun: false,
      summary:
        'Rate a reply or a trajectory. The same post is kept once; another content under the same key revises it.',
      body: { contentType: 'application/json', schema: feedbackInputSchema },
      maxBodyBytes: CORRECTION_BYTES,
      response: { contentType: 'application/json', schema: feedbackSchema },
      handle: (call) => write(parts, call),
    },
    {
      method: 'GET',
      path: '/v1/feedback',
      scope: 'view',
      perRun: false,
      summary: 'Feedback that holds: the newest revision of each, without what was withdrawn.',
      query: feedbackQuerySchema,
      response: { contentType: 'application/json', schema: feedbackListSchema },
      handle: (call) => list(parts, call),
    },
    {
      method: 'DELETE',
      path: '/v1/feedback/:id',
      scope: 'feedback:write',
      perRun: false,
      summary: 'Withdraw feedback. The row stays and no longer counts.',
      response: { contentType: 'application/json', schema: z.object({ withdrawn: z.string() }) },
      handle: (call) => withdraw(parts, call),
    },
  ];
}

async function write(parts: LibraryParts, call: RouteCall): Promise<Feedback> {
  const { store, blobs, ids } = parts;
  const { tenantId } = call.principal;
  const feedback = await readBody(call, feedbackInputSchema);
  refuseNul([feedback.trajectory_id, feedback.author, feedback.key], 'the feedback');
  if (feedback.kind === 'choice') {
    // The one it is better than must be there too: a pair is made of both.
    const { trajectory_id: trajectoryId } = feedback.over;
    if ((await readTrajectory({ store, blobs, tenantId, trajectoryId })) === undefined) throw notFound(trajectoryId);
  }
  try {
    return await writeFeedback({ store, tenantId, feedback, ids });
  } catch (error) {
    if (TrajectoryMissingError.isInstance(error)) throw notFound(error.trajectoryId);
    throw error;
  }
}

async function list({ store }: LibraryParts, { request, principal }: RouteCall): Promise<{ feedback: Feedback[] }> {
  const query = readQuery(request, feedbackQuerySchema);
  const feedback = await listFeedback({
    store,
    tenantId: principal.tenantId,
    ...(query.trajectory_id === undefined ? {} : { trajectoryId: query.trajectory_id }),
    ...(query.author === undefined ? {} : { author: query.author }),
    ...(query.author_kind === undefined ? {} : { authorKind: query.author_kind }),
    ...(query.kind === undefined ? {} : { kind: query.kind }),
    ...(query.since === undefined ? {} : { since: query.since }),
  });
  return { feedback };
}

async function withdraw({ store }: LibraryParts, { request, principal }: RouteCall): Promise<{ withdrawn: string }> {
  const feedbackId = readParameter(request, 'id');
  const withdrawn = await withdrawFeedback({ store, tenantId: principal.tenantId, feedbackId });
  if (withdrawn === undefined) {
    throw new LachesisError({
      code: 'not-found',
      message: `there is no feedback ${JSON.stringify(feedbackId.slice(0, 100))} to withdraw`,
      hint: 'GET /v1/feedback lists what holds.',
    });
  }
  return { withdrawn: feedbackId };
}
