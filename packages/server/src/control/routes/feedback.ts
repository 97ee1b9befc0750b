import {
  agreementQuerySchema,
  feedbackAgreementSchema,
  feedbackRequestSchema,
  feedbackListSchema,
  feedbackQuerySchema,
  feedbackSchema,
  LachesisError,
  type Feedback,
} from '@lachesis/protocol';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { jsonBody } from '../../http/read-body.ts';
import { refuseNul } from '../../http/read-query.ts';
import type { Route } from '../../http/route.ts';
import { addFeedback } from '../../services/library/add-feedback.ts';
import { listNamedFeedback, withdrawNamedFeedback } from '../../services/library/named-feedback.ts';
import { readAgreement } from '../../services/library/read-agreement.ts';
import type { LibraryDeps } from './library-deps.ts';

/** A correction is a whole reply, tool calls included. */
const CORRECTION_BYTES = 1024 ** 2;

/** What people, rules and judges think. */
export function createFeedbackRoutes(parts: LibraryDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/feedback',
      scope: 'feedback:write',
      audit: 'count',
      summary:
        'Rate a reply or a trajectory, by any of its names and also before it is recorded. The same post is kept once; another content under the same key revises it.',
      body: jsonBody(feedbackRequestSchema),
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
      method: 'GET',
      path: '/v1/feedback/agreement',
      scope: 'view',
      summary: 'How far judges, or rules, say what people say.',
      query: agreementQuerySchema,
      reply: feedbackAgreementSchema,
      handle: ({ principal: { tenantId }, query }) => readAgreement({ store: parts.store, tenantId, query }),
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
  { store, ids }: LibraryDeps,
  tenantId: string,
  feedback: z.output<typeof feedbackRequestSchema>,
): Promise<Feedback> {
  refuseNul([feedback.trajectory_id, feedback.author, feedback.key], 'the feedback');
  return await addFeedback({ store, ids, tenantId, feedback });
}

async function list(
  { store }: LibraryDeps,
  tenantId: string,
  query: z.output<typeof feedbackQuerySchema>,
): Promise<{ feedback: Feedback[] }> {
  return { feedback: await listNamedFeedback({ store, tenantId, query }) };
}

async function withdraw({ store }: LibraryDeps, tenantId: string, feedbackId: string): Promise<{ withdrawn: string }> {
  const withdrawn = await withdrawNamedFeedback({ store, tenantId, ref: feedbackId });
  if (withdrawn === undefined) {
    throw new LachesisError({
      code: 'not-found',
      message: `there is no feedback ${JSON.stringify(feedbackId.slice(0, 100))} to withdraw`,
      hint: 'GET /v1/feedback lists what holds.',
    });
  }
  return { withdrawn };
}
