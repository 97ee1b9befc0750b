import {
  configEditReplySchema,
  configEditSchema,
  controlConfigSchema,
  environmentListSchema,
  environmentSelectionSchema,
} from '@lachesis/protocol';
import { defineRoute } from '../../http/define-route.ts';
import { jsonBody } from '../../http/read-body.ts';
import type { Route } from '../../http/route.ts';
import type { RunDeps } from './run-deps.ts';

/** Environments, and the configuration of the next run. */
export function createConfigRoutes({ configurator }: RunDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/environments',
      scope: 'view',
      summary: 'The environments there are, found without running them.',
      reply: environmentListSchema,
      handle: () => configurator.listEnvironments(),
    }),
    defineRoute({
      method: 'POST',
      path: '/environments/:name/select',
      scope: 'run:admin',
      summary: 'Choose the environment of the next run. Edits made for another one are forgotten.',
      reply: environmentSelectionSchema,
      handle: ({ principal, params }) => configurator.select(principal.tenantId, params.name),
    }),
    defineRoute({
      method: 'GET',
      path: '/config',
      scope: 'view',
      summary: 'The configuration of the next run: what may be changed, and what the recipe has locked.',
      reply: controlConfigSchema,
      handle: ({ principal }) => configurator.read(principal.tenantId),
    }),
    defineRoute({
      method: 'POST',
      path: '/config',
      scope: 'run:admin',
      summary: 'Change one field of it.',
      body: jsonBody(configEditSchema),
      reply: configEditReplySchema,
      handle: ({ principal, body }) => configurator.edit(principal.tenantId, body),
    }),
  ];
}
