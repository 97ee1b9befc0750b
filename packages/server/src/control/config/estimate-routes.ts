import { LachesisError, runEstimateSchema, type RunEstimate } from '@lachesis/protocol';
import type { Route } from '../../platform/http/route.ts';
import type { RunConfigurator } from '../runs/run-configurator.ts';

/** What the next run may take. */
export function createEstimateRoutes({ configurator }: { configurator: Pick<RunConfigurator, 'resolve'> }): Route[] {
  return [
    {
      ...{ perRun: false, method: 'GET', path: '/config/estimate', scope: 'view' },
      summary: 'What the next run may take at most: steps, rollouts, tokens, seconds and US dollars, as far as known.',
      response: { contentType: 'application/json', schema: runEstimateSchema },
      handle: async ({ principal }): Promise<RunEstimate> => {
        const { estimate } = await configurator.resolve(principal.tenantId, {});
        if (estimate !== undefined) return estimate;
        throw new LachesisError({ code: 'unavailable', message: 'this server makes no estimates' });
      },
    },
  ];
}
