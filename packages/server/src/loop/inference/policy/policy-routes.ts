import { activePolicySchema, policyPublicationSchema, policyStateSchema, type PolicyState } from '@lachesis/protocol';
import type { Route } from '../../../platform/http/route.ts';
import { checkBody } from '../calls/read-body.ts';
import type { PolicyHolder } from './policy-holder.ts';

/** How the trainer tells what to serve, and anybody reads what is served. */
export function createPolicyRoutes(
  holder: Pick<PolicyHolder, 'publish'> & { readState: () => PolicyState },
  toError: (thrown: unknown) => unknown,
): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/policy',
      scope: 'trainer:pull',
      audit: 'line',
      perRun: false,
      summary: 'Serve these weights. Answered when they answer; requests under way end on the ones before.',
      body: { contentType: 'application/json', schema: policyPublicationSchema },
      response: { contentType: 'application/json', schema: activePolicySchema },
      handle: async ({ readJson }) => {
        const publication = checkBody(policyPublicationSchema, await readJson());
        return holder.publish(publication).catch((error: unknown) => {
          throw toError(error);
        });
      },
    },
    {
      method: 'GET',
      path: '/v1/policy',
      scope: 'inference:call',
      audit: 'none',
      perRun: false,
      summary: 'The weights that are served, and those before, the newest first.',
      response: { contentType: 'application/json', schema: policyStateSchema },
      handle: async () => holder.readState(),
    },
  ];
}
