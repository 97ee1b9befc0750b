import type { HttpClient, HttpReply } from './http-client.ts';
import type { LoadOptions } from './options.ts';

/** Registers a trainer and then the environments, and returns the environments' ids. */
export async function joinRun(client: HttpClient, options: LoadOptions): Promise<number[]> {
  const registration = await client.callJson({
    method: 'POST',
    path: '/register',
    json: {
      wandb_group: 'bench',
      wandb_project: 'bench',
      batch_size: options.batchSize,
      max_token_len: 1 << 20,
      checkpoint_dir: 'bench',
      save_checkpoint_interval: 100,
      starting_step: 0,
      num_steps: 1_000_000,
    },
  });
  if (registration.status !== 200) throw refusal('POST /register', registration);
  // Environments are admitted only once the trainer has asked for a batch.
  await client.call({ method: 'GET', path: '/batch' });
  const ids: number[] = [];
  for (let index = 0; index < options.environments; index += 1) {
    const reply = await client.callJson({
      method: 'POST',
      path: '/register-env',
      json: {
        max_token_length: options.tokens,
        desired_name: 'bench',
        weight: 1,
        group_size: options.sequences,
        min_batch_allocation: null,
      },
    });
    const id = readNumber(reply.json, 'env_id');
    if (id === undefined) throw refusal('POST /register-env', reply);
    ids.push(id);
  }
  return ids;
}

/**
 * Opens as many connections as the workers will use at once and leaves them idle. Under load the original lets a new
 * connection wait for seconds, and a short run would measure mostly that.
 */
export async function openConnections(client: HttpClient, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => client.call({ method: 'GET', path: '/info' })));
}

function refusal(what: string, reply: HttpReply): Error {
  return new Error(`${what} answered ${reply.status} ${reply.body.toString('utf8', 0, 300)}`);
}

export function readNumber(json: unknown, key: string): number | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const value: unknown = Reflect.get(json, key);
  return typeof value === 'number' ? value : undefined;
}
