import type { CheckpointList } from '@lachesis/store';
import {
  LachesisError,
  trainerItemsRequestSchema,
  trainerItemsSchema,
  trainerProgressRequestSchema,
  trainerProgressSchema,
  type TrainerItems,
  type TrainerItemsRequest,
  type TrainerProgress,
  type TrainerProgressRequest,
} from '@lachesis/protocol';
import { z } from 'zod';
import { defineRoute } from '../http/define-route.ts';
import { jsonBody } from '../http/read-body.ts';
import type { Route } from '../http/route.ts';
import {
  environmentMetricsSchema,
  MOST_SERIES,
  type EnvironmentMetrics,
} from '../services/training/rl/environments/environment-metrics.ts';
import { trainerStatusSchema, type TrainerStatus } from '../services/training/rl/status.ts';

const evaluationSchema = z.strictObject({
  /** The step whose weights were evaluated. */
  step: z.int().min(0),
  /** Higher is better; the checkpoint with the highest is kept. */
  score: z.number(),
});

const checkpointListSchema = z.object({
  checkpoints: z.array(
    z.object({
      step: z.int(),
      policy_version: z.int(),
      state_path: z.string(),
      weights_path: z.string().nullable(),
      is_final: z.boolean(),
      is_best: z.boolean(),
      evaluation: z.number().nullable(),
      created_at: z.number(),
    }),
  ),
});

/** The routes of the trainer: what it does, what it has saved, how an evaluation went, and the end. */
export function createTrainerRoutes(options: {
  status: () => TrainerStatus;
  /** Undefined until the run is known. */
  checkpoints: () => CheckpointList | undefined;
  /** The step of the checkpoint that took the score; null when there is none. */
  evaluate: (step: number, score: number) => Promise<number | null>;
  /** Resolves when they are on disk. Undefined until the run is known. */
  recordMetrics: () => ((metrics: EnvironmentMetrics) => Promise<void>) | undefined;
  /** Keeps how items did, and tells what is known. Undefined until the run is known. */
  keepItems: () => ((request: TrainerItemsRequest) => Promise<TrainerItems>) | undefined;
  /** Undefined until weights are served. */
  progress: (question: TrainerProgressRequest) => TrainerProgress | undefined;
  stop: () => void;
}): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/trainer',
      scope: 'view',
      audit: 'none',
      summary: 'What the trainer is doing: state, step, policy version, metrics of the last step.',
      reply: trainerStatusSchema,
      handle: async () => options.status(),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/trainer/checkpoints',
      scope: 'view',
      summary: 'Checkpoints that are kept, the newest first, with the best one marked.',
      reply: checkpointListSchema,
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
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/trainer/evaluations',
      scope: 'env:push',
      summary:
        'How the weights of a step did. The newest checkpoint up to that step takes the score; the best is kept.',
      body: jsonBody(evaluationSchema, {
        message: 'an evaluation is a step and a score',
        hint: '{"step": 25, "score": 0.7}',
      }),
      reply: z.object({ step: z.int().nullable() }),
      handle: async ({ body: { step, score } }) => ({ step: await options.evaluate(step, score) }),
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/trainer/metrics',
      scope: 'env:push',
      summary: 'What an environment measured at a step. It goes wherever the metrics of the trainer go.',
      body: jsonBody(environmentMetricsSchema, {
        message: `metrics are a step, a moment and at most ${MOST_SERIES} numbers by name`,
        hint: '{"step": 25, "at": 1767225600000, "metrics": {"train/percent_correct": 0.4}}',
      }),
      reply: z.object({ step: z.int() }),
      handle: async ({ body: row }) => {
        const record = options.recordMetrics();
        if (record === undefined) {
          throw new LachesisError({ code: 'unavailable', message: 'the trainer does not know its run yet' });
        }
        await record(row);
        return { step: row.step };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/trainer/items',
      scope: 'env:push',
      audit: 'none',
      summary: 'How the items of an environment did, so that its curriculum goes on after a restart.',
      body: jsonBody(trainerItemsRequestSchema, {
        message: 'an environment tells its name and how many rollouts of each item passed',
        hint: '{"environment": "digits", "rates": [{"item": "train-3", "rollouts": 8, "passed": 5}], "asks_all": false}',
      }),
      reply: trainerItemsSchema,
      handle: async ({ body }) => {
        const keep = options.keepItems();
        if (keep === undefined) {
          throw new LachesisError({ code: 'unavailable', message: 'the trainer does not know its run yet' });
        }
        return await keep(body);
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/trainer/progress',
      scope: 'env:push',
      audit: 'none',
      summary: 'How far the trainer is, and into which steps the groups of an environment went.',
      body: jsonBody(trainerProgressRequestSchema, {
        message: 'an environment asks with its name, ids of groups, and whether it is done',
        hint: '{"environment": "digits", "group_ids": [], "is_done": false}',
      }),
      reply: trainerProgressSchema,
      handle: async ({ body }) => {
        const answer = options.progress(body);
        if (answer === undefined) {
          throw new LachesisError({ code: 'unavailable', message: 'the trainer serves no weights yet' });
        }
        return answer;
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/trainer/stop',
      scope: 'run:admin',
      summary: 'End after the step that is under way, with a checkpoint.',
      reply: trainerStatusSchema,
      handle: async () => {
        options.stop();
        return options.status();
      },
    }),
  ];
}
