import { jobSchemas } from '@lachesis/protocol';
import { defineRoute } from '../../http/define-route.ts';
import type { Route } from '../../http/route.ts';
import { listJobs, showJob } from '../../services/jobs/jobs.ts';
import type { LibraryDeps } from './library-deps.ts';

/** Jobs of many items: which there are, and how far each is. */
export function createJobRoutes({ store, redactor }: Pick<LibraryDeps, 'redactor' | 'store'>): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/jobs',
      scope: 'view',
      summary: 'Jobs of many items, such as those of `lachesis batch`, the newest first: how far each is.',
      query: jobSchemas.query,
      reply: jobSchemas.list,
      handle: ({ principal: { tenantId }, query }) => listJobs({ store, tenantId, ...query }),
    }),
    defineRoute({
      method: 'GET',
      path: '/jobs/:ref',
      scope: 'view',
      summary: 'One job by its name or the beginning of it: how far it is, and why the first of its items failed.',
      reply: jobSchemas.detail,
      handle: ({ principal: { tenantId }, params }) => showJob({ store, tenantId, ref: params.ref, redactor }),
    }),
  ];
}
