import type { z } from 'zod';
import {
  environmentDisconnectReplySchema,
  environmentIdentifierSchema,
  environmentRegistrationReplySchema,
  environmentRegistrationSchema,
  registrationNumberSchema,
  registrationSchema,
  type EnvironmentRegistrationReply,
} from '@lachesis/protocol';
import { randomBytes } from 'node:crypto';
import { defineRoute, sentByHand } from '../../http/define-route.ts';
import { jsonBody } from '../../http/read-body.ts';
import { JSON_TYPE, type Route } from '../../http/route.ts';
import type { TrajectoryApiDeps } from '../deps.ts';
import { answerAsAtropos } from './answer.ts';
import { ATROPOS_BODY } from './body-rules.ts';

type EnvironmentDisconnectReply = z.infer<typeof environmentDisconnectReplySchema>;

/** Registration of trainers and environments, and the reset. */
export function createRegistrationRoutes(deps: TrajectoryApiDeps): Route[] {
  const { ask, settings } = deps;
  return [
    answerAsAtropos(
      defineRoute({
        method: 'POST',
        path: '/register',
        scope: 'trainer:pull',
        audit: 'line',
        perRun: true,
        summary: 'Register a trainer. The first registration of a run counts; later ones change nothing.',
        body: jsonBody(registrationSchema, ATROPOS_BODY),
        reply: sentByHand(JSON_TYPE, registrationNumberSchema),
        handle: async (call) => {
          const { body, reply } = call;
          await ask(call, 'registerTrainer', {
            wandbGroup: body.wandb_group,
            wandbProject: body.wandb_project,
            batchSize: body.batch_size,
            maxTokenLen: body.max_token_len,
            checkpointDir: body.checkpoint_dir,
            saveCheckpointInterval: body.save_checkpoint_interval,
            startingStep: body.starting_step,
            numSteps: body.num_steps,
            maxStaleness: null,
          });
          return reply.type(JSON_TYPE).send(`{"uuid":${makeTrainerNumber(settings.strictAtropos)}}`);
        },
      }),
    ),
    answerAsAtropos(
      defineRoute({
        method: 'POST',
        path: '/register-env',
        scope: 'env:push',
        audit: 'line',
        perRun: true,
        summary: 'Register an environment; it is told to wait until a trainer has asked for its first batch.',
        body: jsonBody(environmentRegistrationSchema, ATROPOS_BODY),
        reply: environmentRegistrationReplySchema,
        handle: async (call): Promise<EnvironmentRegistrationReply> => {
          const { body } = call;
          const result = await ask(call, 'registerEnvironment', {
            maxTokenLength: body.max_token_length,
            desiredName: body.desired_name,
            weight: body.weight,
            groupSize: body.group_size,
            minBatchAllocation: body.min_batch_allocation,
          });
          if (result.registered.kind === 'wait') return { status: 'wait for trainer to start' };
          const { environment, step } = result.registered;
          return {
            status: 'success',
            env_id: environment.ordinal,
            wandb_name: environment.realName,
            checkpoint_dir: result.carried.checkpointDir,
            starting_step: step,
            checkpoint_interval: result.carried.saveCheckpointInterval,
            num_steps: result.numSteps,
          };
        },
      }),
    ),
    answerAsAtropos(
      defineRoute({
        method: 'POST',
        path: '/disconnect-env',
        scope: 'env:push',
        audit: 'line',
        perRun: true,
        summary: 'Tell that an environment has left; its share of batches is freed.',
        body: jsonBody(environmentIdentifierSchema, ATROPOS_BODY),
        reply: environmentDisconnectReplySchema,
        handle: async (call): Promise<EnvironmentDisconnectReply> =>
          (await ask(call, 'disconnectEnvironment', { envId: call.body.env_id }))
            ? { status: 'success' }
            : { status: 'failure', error: 'list index out of range' },
      }),
    ),
    defineRoute({
      method: 'GET',
      path: '/reset_data',
      scope: 'run:admin',
      audit: 'line',
      perRun: true,
      summary: 'Archive the run and open a new incarnation of it. Nothing stored is deleted.',
      reply: sentByHand('text/plain'),
      handle: async (call) => {
        await ask(call, 'reset', {});
        return call.reply.type('text/plain; charset=utf-8').send('Reset successful');
      },
    }),
  ];
}

/** The original hands out a 128-bit integer; ours stays where every JSON reader keeps it exact. */
function makeTrainerNumber(isStrict: boolean): string {
  const bytes = randomBytes(isStrict ? 16 : 7);
  const value = BigInt(`0x${bytes.toString('hex')}`);
  return String(isStrict ? value : value >> 3n);
}
