import {
  configEditReplySchema,
  configEditSchema,
  controlConfigSchema,
  environmentListSchema,
  environmentSelectionSchema,
} from '@lachesis/protocol';
import type { Route } from '../../platform/http/route.ts';
import { readBody, readParameter } from '../library/read-body.ts';
import type { RunParts } from './run-parts.ts';

/** Environments, and the configuration of the next run. */
export function createConfigRoutes({ configurator }: RunParts): Route[] {
  const json = 'application/json';
  return [
    {
      ...{ perRun: false, method: 'GET', path: '/environments', scope: 'view' },
      summary: 'The environments there are, found without running them.',
      response: { contentType: json, schema: environmentListSchema },
      handle: () => configurator.listEnvironments(),
    },
    {
      ...{ perRun: false, method: 'POST', path: '/environments/:name/select', scope: 'run:admin' },
      summary: 'Choose the environment of the next run. Edits made for another one are forgotten.',
      response: { contentType: json, schema: environmentSelectionSchema },
      handle: ({ request, principal }) => configurator.select(principal.tenantId, readParameter(request, 'name')),
    },
    {
      ...{ perRun: false, method: 'GET', path: '/config', scope: 'view' },
      summary: 'The configuration of the next run: what may be changed, and what the recipe has locked.',
      response: { contentType: json, schema: controlConfigSchema },
      handle: ({ principal }) => configurator.read(principal.tenantId),
    },
    {
      ...{ perRun: false, method: 'POST', path: '/config', scope: 'run:admin' },
      summary: 'Change one field of it.',
      body: { contentType: json, schema: configEditSchema },
      response: { contentType: json, schema: configEditReplySchema },
      handle: async (call) => configurator.edit(call.principal.tenantId, await readBody(call, configEditSchema)),
    },
  ];
}
