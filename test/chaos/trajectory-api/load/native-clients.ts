import { decodeFrames, PACKED_GROUP_CONTENT_TYPE } from '@lachesis/protocol';
import type { LeaseReply } from '../../../../packages/protocol/src/trajectory-api/batch.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Call } from './call-once.ts';
import { encodeJson } from './wire-client.ts';
import type { WireClient } from './wire-client.ts';
import type { History } from './history.ts';
import { GROUPS_PER_BATCH } from './load-control.ts';
import type { LoadControl } from './load-control.ts';
import { packNumberedGroup, readPackedNumber, SEQUENCES } from './numbered-group.ts';

export interface NativeClientOptions {
  readonly client: WireClient;
  readonly history: History;
  readonly control: LoadControl;
}

const ZOMBIE_LEASE_SECONDS = 1;
/** How far past the end of its lease a zombie wakes up, measured from when the lease was answered. */
const ZOMBIE_MARGIN_MS = 150;
/** Producers run into the bound now and then, and the queue stays short enough to drain in seconds. */
const MAX_STALENESS = 48;

export async function registerNativeTrainer(client: WireClient): Promise<void> {
  const json = { batch_size: GROUPS_PER_BATCH * SEQUENCES, max_staleness: MAX_STALENESS };
  const { status } = await client.insistJson({ method: 'PUT', path: '/v1/registration', json });
  if (status !== 200) throw new Error(`PUT /v1/registration answered ${status}`);
}

/** Pushes group after group, each under one idempotency key until it is acknowledged. */
export async function produceNative({ client, history, control }: NativeClientOptions): Promise<void> {
  while (control.isProducing) await pushNativeGroup(client, history);
}

export async function pushNativeGroup(client: WireClient, history: History, key: string = randomUUID()): Promise<void> {
  const number = history.begin();
  let begunAt = performance.now();
  // Who is told to wait for a trainer was answered.
  const onBusy = (): void => void (begunAt = performance.now());
  const reply = await client.insist(createPush(number, key), { onBusy });
  if (reply?.status === 200) history.acknowledge(number, begunAt);
  else history.surprises.push(`push answered ${reply?.status} ${reply?.body.toString('utf8', 0, 200)}`);
}

export function createPush(number: number, key: string): Call {
  return {
    method: 'POST',
    path: '/v1/groups',
    body: packNumberedGroup(number),
    headers: { 'content-type': PACKED_GROUP_CONTENT_TYPE, 'idempotency-key': key },
  };
}

/** Leases, reads, trains and acknowledges; now and then it sleeps past its lease and acknowledges all the same. */
export async function consumeNative(options: NativeClientOptions & { name: string }): Promise<void> {
  const { client, history, control, name } = options;
  while (control.isConsuming) {
    const isZombie = Math.random() < control.zombieShare;
    const leaseSeconds = isZombie ? ZOMBIE_LEASE_SECONDS : control.leaseSeconds;
    const askedAt = performance.now();
    const isInTime = (): boolean => performance.now() - askedAt < leaseSeconds * 1000;
    const batch = await leaseBatch(options, { consumer: name, lease_seconds: leaseSeconds, wait_seconds: 1 });
    if (batch === null) continue;
    const leasedAt = performance.now();
    const numbers = await readNumbers(options, batch);
    if (numbers === null) {
      if (isInTime()) history.refusedInTime += 1;
      continue;
    }
    const restMs = leaseSeconds * 1000 + ZOMBIE_MARGIN_MS - (performance.now() - leasedAt);
    await sleep(isZombie ? Math.max(0, restMs) : Math.random() * control.longestStepMs);

    const reply = await client.insist({
      method: 'POST',
      path: `/v1/batches/${batch.batch_id}/ack`,
      body: encodeJson({ epoch: batch.epoch }),
    });
    if (reply?.status === 200) for (const number of numbers) history.end(number, `${batch.batch_id}#${batch.epoch}`);
    else if (reply?.status !== 409) history.surprises.push(`ack answered ${reply?.status} ${reply?.body.toString()}`);
    if (reply?.status === 409 && isInTime()) history.refusedInTime += 1;
    if (!isZombie) continue;
    history.lateAcks += 1;
    if (reply?.status === 200) history.lateAcksAccepted += 1;
  }
}

type Batch = NonNullable<LeaseReply['batch']>;

async function leaseBatch(
  { client, history }: NativeClientOptions,
  request: { consumer: string; lease_seconds: number; wait_seconds: number },
): Promise<Batch | null> {
  // Asked once: an unanswered lease is nobody's, and comes back by itself.
  const reply = await client.tryOnce({ method: 'POST', path: '/v1/batches', body: encodeJson(request) });
  if (reply?.status === 200) return (JSON.parse(reply.body.toString()) as LeaseReply).batch;
  if (reply?.status === 409) await registerNativeTrainer(client);
  else if (reply !== undefined && reply.status < 500) history.surprises.push(`lease answered ${reply.status}`);
  await sleep(20);
  return null;
}

/** Null when the lease ended before the groups were read. */
async function readNumbers({ client, history }: NativeClientOptions, batch: Batch): Promise<number[] | null> {
  const path = `/v1/batches/${batch.batch_id}/groups?epoch=${batch.epoch}`;
  const reply = await client.insist({ method: 'GET', path });
  if (reply?.status === 409) return null;
  if (reply?.status !== 200) {
    history.surprises.push(`groups answered ${reply?.status} ${reply?.body.toString('utf8', 0, 200)}`);
    return null;
  }
  try {
    return decodeFrames(reply.body).map((frame) => readPackedNumber(frame));
  } catch (error) {
    history.surprises.push(`a batch cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}
