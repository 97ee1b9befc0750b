import {
  feedbackInputSchema,
  feedbackListSchema,
  feedbackQuerySchema,
  feedbackSchema,
  LachesisError,
  type Feedback,
} from '@lachesis/protocol';
import { listFeedback, TrajectoryMissingError, withdrawFeedback } from '@lachesis/store';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { jsonBody } from '../../http/read-body.ts';
import { refuseNul } from '../../http/read-query.ts';
import type { Route } from '../../http/route.ts';
import { addFeedback } from '../../services/library/add-feedback.ts';
import type { LibraryParts } from './library-parts.ts';
import { notFound } from './not-found.ts';

/** A correction is a whole reply, tool calls included. */
const CORRECTION_BYTES = 1024 ** 2;

/** What people, rules and judges think. */
export function createFeedbackRoutes(parts: LibraryParts): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/feedback',
      scope: 'feedback:write',
      audit: 'count',
      summary:
        'Rate a reply or a trajectory. The same post is kept once; another content under the same key revises it.',
      body: jsonBody(feedbackInputSchema),
      maxBodyBytes: CORRECTION_BYTES,
      reply: feedbackSchema,
      handle: ({ principal, body }) => write(parts, principal.tenantId, body),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/feedback',
      scope: 'view',
      summary: 'Feedback that holds: the newest revision of each, without what was withdrawn.',
      query: feedbackQuerySchema,
      reply: feedbackListSchema,
      handle: ({ principal, query }) => list(parts, principal.tenantId, query),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/v1/feedback/:id',
      scope: 'feedback:write',
      summary: 'Withdraw feedback. The row stays and no longer counts.',
      reply: z.object({ withdrawn: z.string() }),
      handle: ({ principal, params }) => withdraw(parts, principal.tenantId, params.id),
    }),
  ];
}

async function write(
  { store, blobs, ids }: LibraryParts,
  tenantId: string,
  feedback: z.output<typeof feedbackInputSchema>,
): Promise<Feedback> {
  refuseNul([feedback.trajectory_id, feedback.author, feedback.key], 'the feedback');
  try {
    return await addFeedback({ store, blobs, ids, tenantId, feedback });
  } catch (error) {
    if (TrajectoryMissingError.isInstance(error)) throw notFound(error.trajectoryId);
    throw error;
  }
}

async function list(
  { store }: LibraryParts,
  tenantId: string,
  query: z.output<typeof feedbackQuerySchema>,
): Promise<{ feedback: Feedback[] }> {
  const feedback = await listFeedback({
    store,
    tenantId,
    ...(query.trajectory_id === undefined ? {} : { trajectoryId: query.trajectory_id }),
    ...(query.author === undefined ? {} : { author: query.author }),
    ...(query.author_kind === undefined ? {} : { authorKind: query.author_kind }),
    ...(query.kind === undefined ? {} : { kind: query.kind }),
    ...(query.since === undefined ? {} : { since: query.since }),
  });
  return { feedback };
}

async function withdraw({ store }: LibraryParts, tenantId: string, feedbackId: string): Promise<{ withdrawn: string }> {
  const withdrawn = await withdrawFeedback({ store, tenantId, feedbackId });
  if (withdrawn === undefined) {
    throw new LachesisError({
      code: 'not-found',
      message: `there is no feedback ${JSON.stringify(feedbackId.slice(0, 100))} to withdraw`,
      hint: 'GET /v1/feedback lists what holds.',
    });
  }
  return { withdrawn: feedbackId };
}
