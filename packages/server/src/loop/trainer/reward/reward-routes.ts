import { LachesisError, rewardCallSchema, rewardReplySchema } from '@lachesis/protocol';
import type { Message } from '@lachesis/sdk/render';
import { LARGE_BODY, type Route } from '../../../platform/http/route.ts';
import { readBody } from '../read-body.ts';
import type { Scorer } from './create-scorer.ts';

/** Which reward model answers. */
export interface ServedRewardModel {
  /** `name@version`, or the path of its weights. */
  name: string;
  modelVersionId: string | null;
  weightsPath: string;
}

/** The door of a reward model. */
export function createRewardRoutes({ scorer, served }: { scorer: Scorer; served: ServedRewardModel }): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/rewards',
      scope: 'view',
      perRun: false,
      summary: 'Which reward model answers here.',
      handle: async () => ({
        model: served.name,
        model_version_id: served.modelVersionId,
        weights_path: served.weightsPath,
      }),
    },
    {
      method: 'POST',
      path: '/v1/rewards',
      scope: 'inference:call',
      perRun: false,
      summary: 'What the last reply of a conversation is worth.',
      body: { contentType: 'application/json', schema: rewardCallSchema },
      maxBodyBytes: LARGE_BODY,
      response: { contentType: 'application/json', schema: rewardReplySchema },
      handle: async (call) => {
        const { model, messages } = await readBody(call, {
          schema: rewardCallSchema,
          message: 'a reward is asked for with the messages of a conversation and its reply',
          hint: '{"messages": [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}], "reply": "…"}',
        });
        if (typeof model === 'string' && model !== served.name && model !== served.modelVersionId) {
          throw new LachesisError({
            code: 'not-found',
            message: `the reward model ${model} is not served here; ${served.name} is`,
          });
        }
        return { reward: await scorer.score({ messages: messages as readonly Message[] }), model: served.name };
      },
    },
  ];
}
