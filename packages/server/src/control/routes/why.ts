import { whyReplySchema } from '@lachesis/protocol';
import type { TrainingRun } from '@lachesis/store';
import { defineRoute } from '../../http/define-route.ts';
import type { Route } from '../../http/route.ts';
import type { Why } from '../../services/runs/why/create-why.ts';

/** Why a run waits. */
export function createWhyRoutes(options: {
  why: Pick<Why, 'explain'>;
  /** Throws when there is none. */
  findRun: (tenantId: string, shortId: string) => Promise<TrainingRun>;
}): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/runs/:id/why',
      scope: 'view',
      runParameter: 'id',
      summary: 'Who waits for whom, since when, holding what, and what to do about it.',
      reply: whyReplySchema,
      handle: async ({ params, principal }) =>
        await options.why.explain(await options.findRun(principal.tenantId, params.id)),
    }),
  ];
}
