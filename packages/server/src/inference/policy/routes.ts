import { activePolicySchema, policyPublicationSchema, policyStateSchema, type PolicyState } from '@lachesis/protocol';
import { defineRoute } from '../../http/define-route.ts';
import { jsonBody } from '../../http/read-body.ts';
import type { Route } from '../../http/route.ts';
import { OPENAI_BODY } from '../calls/body-rules.ts';
import type { PolicyHolder } from './holder.ts';

/** How the trainer tells what to serve, and anybody reads what is served. */
export function createPolicyRoutes(
  holder: Pick<PolicyHolder, 'publish'> & { readState: () => PolicyState },
  toError: (thrown: unknown) => unknown,
): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/policy',
      scope: 'trainer:pull',
      audit: 'line',
      summary: 'Serve these weights. Answered when they answer; requests under way end on the ones before.',
      body: jsonBody(policyPublicationSchema, OPENAI_BODY),
      reply: activePolicySchema,
      handle: ({ body }) =>
        holder.publish(body).catch((error: unknown) => {
          throw toError(error);
        }),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/policy',
      scope: 'inference:call',
      audit: 'none',
      summary: 'The weights that are served, and those before, the newest first.',
      reply: policyStateSchema,
      handle: async () => holder.readState(),
    }),
  ];
}
