import { modelListSchema } from '@lachesis/protocol';
import { defineRoute } from '../../http/define-route.ts';
import type { Route } from '../../http/route.ts';
import type { HandlerDeps } from './deps.ts';

export function createModelsRoute({ station, models }: HandlerDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/models',
    scope: 'inference:call',
    summary: 'What is served: one policy, under its name, and under its version where it is a registered model.',
    reply: modelListSchema,
    handle: async () => {
      const { active } = station.options.holder.state;
      const { maxModelLength } = station.options;
      return {
        object: 'list',
        data: (await models.list()).map((id) => ({
          id,
          object: 'model',
          created: Math.floor((active?.active_since ?? 0) / 1000),
          owned_by: 'lachesis',
          ...(maxModelLength === undefined ? {} : { max_model_len: maxModelLength }),
          ...(active === null ? {} : { policy_version: active.policy_version }),
        })),
      };
    },
  });
}
