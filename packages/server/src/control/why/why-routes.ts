import { whyReplySchema } from '@lachesis/protocol';
import type { TrainingRun } from '@lachesis/store';
import type { Route } from '../../platform/http/route.ts';
import { readParameter } from '../library/read-body.ts';
import type { Why } from './create-why.ts';

/** Why a run waits. */
export function createWhyRoutes(options: {
  why: Pick<Why, 'explain'>;
  /** Throws when there is none. */
  findRun: (tenantId: string, shortId: string) => Promise<TrainingRun>;
}): Route[] {
  return [
    {
      ...{ perRun: false, method: 'GET', path: '/runs/:id/why', scope: 'view', runParameter: 'id' },
      summary: 'Who waits for whom, since when, holding what, and what to do about it.',
      response: { contentType: 'application/json', schema: whyReplySchema },
      handle: async ({ request, principal }) =>
        await options.why.explain(await options.findRun(principal.tenantId, readParameter(request, 'id'))),
    },
  ];
}
