import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { makeUnnamedGroup, packGroup } from '../../trajectory-api/native/make-packed-group.ts';
import type { NativeClient } from '../../trajectory-api/native/native-client.ts';

export interface OfferOptions {
  /** Called one after the other, by producers and trainer alike. */
  readonly clients: readonly NativeClient[];
  readonly groups: number;
  /** Groups a second, each sent when it is due; as fast as `producers` can without it. */
  readonly rate?: number;
  readonly producers?: number;
  /** Tokens of each of the 16 sequences; 256 by default. */
  readonly tokens?: number;
}

export interface Offered {
  readonly seconds: number;
  /** From when a push was due, so that a server that holds up the rest is charged for all it delays. */
  readonly latenciesMs: readonly number[];
}

export const SEQUENCES = 16;
const PRODUCERS = 9;
/** Told to come later, a producer does, up to so often. */
const TRIES = 200;
/** A trainer that fails more often has met a fault, and no busy moment. */
const MOST_FAILURES = 10;

/** Pushes groups while a trainer takes them away, so that the queue stays as short as it was. */
export async function offerGroups(options: OfferOptions): Promise<Offered> {
  const { clients, groups, rate, producers = PRODUCERS, tokens = 256 } = options;
  const content = makeUnnamedGroup({ sequences: SEQUENCES, tokens, seed: 1 });
  const latenciesMs: number[] = [];
  let next = 0;
  let isOver = false;
  const pick = (index: number): NativeClient => {
    const client = clients[index % clients.length];
    if (client === undefined) throw new Error('there is no server to push to');
    return client;
  };
  const training = train(pick, () => isOver);
  // Whoever waits for it below is told; until then a call that failed must not end the process.
  training.catch(() => undefined);
  const startedAt = performance.now();
  const produce = async (): Promise<void> => {
    for (let index = next++; index < groups; index = next++) {
      const key = randomUUID();
      const body = packGroup(content, { groupId: key, environment: 'bench' });
      const dueAt = rate === undefined ? performance.now() : startedAt + (index * 1000) / rate;
      await sleep(Math.max(0, dueAt - performance.now()));
      await push(pick(index), body, key);
      latenciesMs.push(performance.now() - dueAt);
    }
  };
  try {
    // At a rate nobody waits for whoever is late, so that there are enough producers for all that is under way.
    await Promise.all(Array.from({ length: rate === undefined ? producers : Math.min(groups, 64) }, produce));
  } finally {
    isOver = true;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await training;
  return { seconds, latenciesMs };
}

async function push(client: NativeClient, body: Uint8Array, key: string): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const { status, body: reply } = await client.push({ body, key });
    if (status >= 200 && status < 300) return;
    if (status !== 429 && status !== 503)
      throw new Error(`POST /v1/groups answered ${status} ${reply.toString('utf8', 0, 200)}`);
    await sleep(20);
  }
  throw new Error('POST /v1/groups was told to come later for too long');
}

/** On a machine that is busy with others a server answers 503 now and then: what was leased comes back, and the next is taken. */
async function train(pick: (index: number) => NativeClient, isOver: () => boolean): Promise<void> {
  let failures = 0;
  for (let turn = 0; ; turn += 1) {
    try {
      const batch = await pick(turn).lease({ waitSeconds: 1, leaseSeconds: 30 });
      if (batch === null && isOver()) return;
      if (batch === null) continue;
      await pick(turn + 1).fetchGroups(batch);
      await pick(turn + 2).acknowledge(batch);
    } catch (error) {
      failures += 1;
      if (failures > MOST_FAILURES || isOver()) throw error;
    }
  }
}
