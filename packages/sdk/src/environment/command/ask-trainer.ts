import { trainerProgressSchema, type Clock } from '@lachesis/protocol';
import { ClientError } from '../../clients/client-error.ts';
import { request } from '../../clients/request.ts';
import type { TrainerAnswer, TrainerQuestion } from '../runner/serve-environment.ts';

export interface AskTrainerOptions {
  /** Of the trainer; undefined when there is none. */
  readonly url: string | undefined;
  readonly token: string | undefined;
  /** Name of the environment. */
  readonly environment: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Resolves when the trainer has been told everything so far. */
  readonly flush: () => Promise<void>;
}

/** Servers of another kind answer so: there is no trainer, or it is not ours to ask. */
const NO_TRAINER = new Set([400, 401, 403, 404, 405, 422, 501]);
const TIMEOUT_MS = 10_000;

/** How an environment learns from its trainer into which steps its groups went. A server that is no trainer is asked once. */
export function createTrainerAsker(options: AskTrainerOptions): (question: TrainerQuestion) => Promise<TrainerAnswer> {
  const { url, token, environment, fetch: send, clock, flush } = options;
  let isTrainer = true;
  return async ({ groupIds, isDone }) => {
    if (url === undefined || !isTrainer) return 'none';
    if (isDone) await flush();
    try {
      return await request({
        ...{ url, token, fetch: send, clock, method: 'POST', path: '/v1/trainer/progress', timeoutMs: TIMEOUT_MS },
        body: { environment, group_ids: groupIds, is_done: isDone },
        parse: (reply) => trainerProgressSchema.parse(reply),
      });
    } catch (error) {
      if (!ClientError.isInstance(error)) throw error;
      isTrainer = error.code !== 'unreadable-reply' && !NO_TRAINER.has(error.status ?? 0);
      return isTrainer ? 'later' : 'none';
    }
  };
}
