import { LachesisError, rewardCallSchema, rewardReplySchema } from '@lachesis/protocol';
import { z } from 'zod';
import { defineRoute } from '../http/define-route.ts';
import { jsonBody } from '../http/read-body.ts';
import { LARGE_BODY, type Route } from '../http/route.ts';
import type { Scorer } from '../services/training/reward/create-scorer.ts';

/** Which reward model answers. */
export interface ServedRewardModel {
  /** `name@version`, or the path of its weights. */
  name: string;
  modelVersionId: string | null;
  weightsPath: string;
}

const servedRewardSchema = z.object({
  model: z.string(),
  model_version_id: z.string().nullable(),
  weights_path: z.string(),
});

/** The routes of a reward model. */
export function createRewardRoutes({ scorer, served }: { scorer: Scorer; served: ServedRewardModel }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/rewards',
      scope: 'view',
      summary: 'Which reward model answers here.',
      reply: servedRewardSchema,
      handle: async () => ({
        model: served.name,
        model_version_id: served.modelVersionId,
        weights_path: served.weightsPath,
      }),
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/rewards',
      scope: 'inference:call',
      summary: 'What the last reply of a conversation is worth.',
      body: jsonBody(rewardCallSchema, {
        message: 'a reward is asked for with the messages of a conversation and its reply',
        hint: '{"messages": [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}], "reply": "…"}',
      }),
      maxBodyBytes: LARGE_BODY,
      reply: rewardReplySchema,
      handle: async ({ body: { model, messages } }) => {
        if (typeof model === 'string' && model !== served.name && model !== served.modelVersionId) {
          throw new LachesisError({
            code: 'not-found',
            message: `the reward model ${model} is not served here; ${served.name} is`,
          });
        }
        return { reward: await scorer.score({ messages }), model: served.name };
      },
    }),
  ];
}
