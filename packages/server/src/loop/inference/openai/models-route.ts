import { modelListSchema, type ModelList } from '@lachesis/protocol';
import type { Route } from '../../../platform/http/route.ts';
import type { DoorParts } from './openai-parts.ts';

export function createModelsRoute({ station, modelName }: DoorParts): Route {
  return {
    method: 'GET',
    path: '/v1/models',
    scope: 'inference:call',
    perRun: false,
    summary: 'What is served: one policy, under the name of its base model.',
    response: { contentType: 'application/json', schema: modelListSchema },
    handle: async (): Promise<ModelList> => {
      const { active } = station.options.holder.state;
      const { maxModelLength } = station.options;
      return {
        object: 'list',
        data: [
          {
            id: modelName,
            object: 'model',
            created: Math.floor((active?.active_since ?? 0) / 1000),
            owned_by: 'lachesis',
            ...(maxModelLength === undefined ? {} : { max_model_len: maxModelLength }),
            ...(active === null ? {} : { policy_version: active.policy_version }),
          },
        ],
      };
    },
  };
}
