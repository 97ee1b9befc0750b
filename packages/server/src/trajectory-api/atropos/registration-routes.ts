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
import { registerEnvironment, resolveEnvironment, setEnvironmentConnected } from '../queue/environments.ts';
import { registerTrainer } from '../queue/register-trainer.ts';
import { resetRun } from '../queue/reset-run.ts';
import { answerAsAtropos } from './answer.ts';
import { ATROPOS_BODY } from './body-rules.ts';

type EnvironmentDisconnectReply = z.infer<typeof environmentDisconnectReplySchema>;

/** Registration of trainers and environments, and the reset. */
export function createRegistrationRoutes(deps: TrajectoryApiDeps): Route[] {
  const { runs, settings, monotonic } = deps;
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
        handle: async ({ body, reply, principal, runName }) => {
          await runs.open(principal.tenantId, runName).queue.execute((transaction) =>
            registerTrainer(transaction, {
              wandbGroup: body.wandb_group,
              wandbProject: body.wandb_project,
              batchSize: body.batch_size,
              maxTokenLen: body.max_token_len,
              checkpointDir: body.checkpoint_dir,
              saveCheckpointInterval: body.save_checkpoint_interval,
              startingStep: body.starting_step,
              numSteps: body.num_steps,
              maxStaleness: null,
            }),
          );
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
        handle: async ({ body, principal, runName }): Promise<EnvironmentRegistrationReply> => {
          const run = runs.open(principal.tenantId, runName);
          const result = await run.queue.execute((transaction) => {
            const registered = registerEnvironment(transaction, {
              maxTokenLength: body.max_token_length,
              desiredName: body.desired_name,
              weight: body.weight,
              groupSize: body.group_size,
              minBatchAllocation: body.min_batch_allocation,
            });
            const { registration, carried } = transaction.state.record;
            return { registered, carried, numSteps: registration?.numSteps ?? -1 };
          });
          if (result.registered.kind === 'wait') return { status: 'wait for trainer to start' };
          const { environment, step } = result.registered;
          run.heardAt.set(environment.ordinal, monotonic());
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
        handle: async ({ body, principal, runName }) => {
          return runs.open(principal.tenantId, runName).queue.execute((transaction): EnvironmentDisconnectReply => {
            const environment = resolveEnvironment(transaction.state, body.env_id);
            if (environment === undefined) return { status: 'failure', error: 'list index out of range' };
            setEnvironmentConnected(transaction, environment, { connected: false, reason: 'asked' });
            return { status: 'success' };
          });
        },
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
      handle: async ({ reply, principal, runName }) => {
        const run = runs.open(principal.tenantId, runName);
        await run.queue.execute((transaction) => resetRun(transaction, 'reset'), { isExclusive: true });
        run.heardAt.clear();
        return reply.type('text/plain; charset=utf-8').send('Reset successful');
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
