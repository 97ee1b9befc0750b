import { LachesisError, runEstimateSchema } from '@lachesis/protocol';
import { defineRoute } from '../../http/define-route.ts';
import type { Route } from '../../http/route.ts';
import type { RunConfigurator } from '../../services/runs/config/configurator.ts';

/** What the next run may take. */
export function createEstimateRoutes({ configurator }: { configurator: Pick<RunConfigurator, 'resolve'> }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/config/estimate',
      scope: 'view',
      summary: 'What the next run may take at most: steps, rollouts, tokens, seconds and US dollars, as far as known.',
      reply: runEstimateSchema,
      handle: async ({ principal }) => {
        const { estimate } = await configurator.resolve(principal.tenantId, {});
        if (estimate !== undefined) return estimate;
        throw new LachesisError({ code: 'unavailable', message: 'this server makes no estimates' });
      },
    }),
  ];
}
