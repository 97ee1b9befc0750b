import { environmentCheckSchema, environmentSourceSchema } from '@lachesis/protocol';
import { defineRoute } from '../../http/define-route.ts';
import type { Route } from '../../http/route.ts';
import type { EnvironmentView } from '../../services/runs/look-at-environment.ts';

/** What is in an environment, and whether it does what it must. */
export function createEnvironmentRoutes(view: EnvironmentView): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/environments/:name/source',
      scope: 'view',
      summary: 'The file an environment is written in, the beginning of a long one.',
      reply: environmentSourceSchema,
      handle: ({ params }) => view.source(params.name),
    }),
    defineRoute({
      method: 'POST',
      path: '/environments/:name/check',
      scope: 'run:admin',
      summary: 'Go through what an environment must be able to do, without a model, in a process that only reads.',
      reply: environmentCheckSchema,
      handle: ({ principal, params }) => view.check(principal.tenantId, params.name),
    }),
  ];
}
