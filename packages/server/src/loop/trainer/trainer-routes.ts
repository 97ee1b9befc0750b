import type { CheckpointList } from '@lachesis/store';
import { LachesisError } from '@lachesis/protocol';
import { z } from 'zod';
import type { Route } from '../../platform/http/route.ts';
import type { TrainerStatus } from './trainer-status.ts';

const evaluationSchema = z.strictObject({
  /** The step whose weights were evaluated. */
  step: z.int().min(0),
  /** Higher is better; the checkpoint with the highest is kept. */
  score: z.number(),
});

/** The routes of the trainer: what it does, what it has saved, how an evaluation went, and the end. */
export function createTrainerRoutes(options: {
  status: () => TrainerStatus;
  checkpoints: () => CheckpointList | undefined;
  stop: () => void;
}): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/trainer',
      scope: 'view',
      perRun: false,
      summary: 'What the trainer is doing: state, step, policy version, metrics of the last step.',
      handle: async () => options.status(),
    },
    {
      method: 'GET',
      path: '/v1/trainer/checkpoints',
      scope: 'view',
      perRun: false,
      summary: 'Checkpoints that are kept, the newest first, with the best one marked.',
      handle: async () => {
        const list = options.checkpoints();
        const [all, best] = list === undefined ? [[], undefined] : await Promise.all([list.list(), list.best()]);
        return {
          checkpoints: all.map((checkpoint) => ({
            step: checkpoint.step,
            policy_version: checkpoint.policyVersion,
            state_path: checkpoint.statePath,
            weights_path: checkpoint.weightsPath,
            is_final: checkpoint.isFinal,
            is_best: checkpoint.step === best?.step,
            evaluation: checkpoint.evaluation,
            created_at: checkpoint.createdAt,
          })),
        };
      },
    },
    {
      method: 'POST',
      path: '/v1/trainer/evaluations',
      scope: 'env:push',
      perRun: false,
      summary:
        'How the weights of a step did. The newest checkpoint up to that step takes the score; the best is kept.',
      body: { contentType: 'application/json', schema: evaluationSchema },
      handle: async ({ request }) => {
        const { step, score } = readEvaluation(request.body);
        const list = options.checkpoints();
        const checkpoint = (await list?.list())?.find((each) => each.step <= step);
        if (list === undefined || checkpoint === undefined) return { step: null };
        await list.evaluate(checkpoint.step, score);
        return { step: checkpoint.step };
      },
    },
    {
      method: 'POST',
      path: '/v1/trainer/stop',
      scope: 'run:admin',
      perRun: false,
      summary: 'End after the step that is under way, with a checkpoint.',
      handle: async () => {
        options.stop();
        return options.status();
      },
    },
  ];
}

function readEvaluation(body: unknown): z.infer<typeof evaluationSchema> {
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : '';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new LachesisError({ code: 'bad-request', message: 'the body is not JSON', cause });
  }
  const parsed = evaluationSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new LachesisError({
    code: 'invalid',
    message: 'an evaluation is a step and a score',
    hint: '{"step": 25, "score": 0.7}',
  });
}
