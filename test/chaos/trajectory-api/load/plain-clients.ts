import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';

import type { WireClient } from './wire-client.ts';
import type { History } from './history.ts';
import { GROUPS_PER_BATCH } from './load-control.ts';
import type { LoadControl } from './load-control.ts';
import { readWrittenNumber, SEQUENCES, writeNumberedGroup } from './numbered-group.ts';

export interface PlainClientOptions {
  readonly client: WireClient;
  readonly history: History;
  readonly control: LoadControl;
}

const EMPTY_PAUSE_MS = 25;

export async function registerPlainTrainer(client: WireClient): Promise<void> {
  await client.insistJson({
    method: 'POST',
    path: '/register',
    json: {
      ...{ wandb_group: 'chaos', wandb_project: 'chaos', checkpoint_dir: '', save_checkpoint_interval: 0 },
      ...{ batch_size: GROUPS_PER_BATCH * SEQUENCES, max_token_len: 2048, starting_step: 0, num_steps: 1_000_000 },
    },
  });
  // Environments are told to wait until a trainer has asked once.
  await client.insist({ method: 'GET', path: '/batch' });
}

export async function registerEnvironment(client: WireClient, name: string): Promise<number> {
  const json = { max_token_length: 2048, desired_name: name, weight: 1, group_size: SEQUENCES };
  const reply = await client.insistJson({ method: 'POST', path: '/register-env', json });
  const { env_id: envId } = reply.json as { env_id?: number };
  if (envId === undefined) throw new Error(`/register-env answered ${JSON.stringify(reply.json)}`);
  return envId;
}

/** Pushes as an Atropos environment does: the same bytes again after a failure, and no key. */
export async function producePlain(options: PlainClientOptions & { envId: number }): Promise<void> {
  while (options.control.isProducing) await pushPlainGroup(options.client, options.history, options.envId);
}

export async function pushPlainGroup(client: WireClient, history: History, envId: number): Promise<void> {
  const number = history.begin();
  let begunAt = performance.now();
  // Who is told to wait for a trainer was answered.
  const onBusy = (): void => void (begunAt = performance.now());
  const call = { method: 'POST', path: '/scored_data', body: writeNumberedGroup(number, envId) } as const;
  const reply = await client.insist(call, { onBusy });
  if (reply?.status === 200) history.acknowledge(number, begunAt);
  else history.surprises.push(`push answered ${reply?.status} ${reply?.body.toString('utf8', 0, 200)}`);
}

/** Asks for batches as an Atropos trainer does; what came whole counts as delivered. */
export async function consumePlain(options: PlainClientOptions & { name: string; gzip: boolean }): Promise<void> {
  const { client, history, control, name, gzip } = options;
  const headers = gzip ? { 'accept-encoding': 'gzip' } : {};
  for (let round = 0; control.isConsuming; round += 1) {
    history.batchesInFlight += 1;
    const reply = await client.tryOnce({ method: 'GET', path: '/batch', headers });
    history.batchesInFlight -= 1;
    const groups = reply?.status === 200 ? readGroups(reply.body, reply.headers['content-encoding']) : null;
    if (groups === 'unregistered') await registerPlainTrainer(client);
    else if (groups === null) await sleep(EMPTY_PAUSE_MS);
    else for (const number of readNumbers(groups, history)) history.end(number, `${name}-${round}`);
  }
}

function readGroups(body: Buffer, encoding: string | undefined): unknown[] | null | 'unregistered' {
  const text = (encoding === 'gzip' ? gunzipSync(body) : body).toString();
  const { batch, status } = JSON.parse(text) as { batch: unknown[] | null; status?: string };
  return status === 'error' ? 'unregistered' : batch;
}

function readNumbers(groups: readonly unknown[], history: History): number[] {
  try {
    return groups.map((group) => readWrittenNumber(group));
  } catch (error) {
    history.surprises.push(`a batch cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}
