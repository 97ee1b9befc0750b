import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { makeUnnamedGroup, packGroup } from './make-packed-group.ts';
import type { NativeClient } from './native-client.ts';
import type { NativeLoadOptions } from './options.ts';
import { schedulePushes } from './schedule-pushes.ts';

/** Different contents sent in turn; each push has its own header besides. */
const CONTENTS = 8;
/** A push told to come back later does so; one that is refused this often has failed. */
const MAX_TRIES = 20;

export interface PushRecord {
  readonly latenciesMs: number[];
  pushed: number;
  deferred: number;
  bytes: number;
  readonly failures: string[];
}

/** Sends each group when it is due, whether or not earlier ones were answered, and resolves when all were. */
export async function pushGroups(client: NativeClient, options: NativeLoadOptions): Promise<PushRecord> {
  const contents = Array.from({ length: CONTENTS }, (_, seed) => makeUnnamedGroup({ ...options, seed: seed + 1 }));
  const record: PushRecord = { latenciesMs: [], pushed: 0, deferred: 0, bytes: 0, failures: [] };
  const startedAt = performance.now();
  const underway = new Set<Promise<void>>();
  let index = 0;
  for (const dueSeconds of schedulePushes(options)) {
    const content = contents[index % CONTENTS];
    if (content === undefined) throw new Error('there is nothing to send');
    const key = randomUUID();
    const body = packGroup(content, { groupId: key, environment: `environment-${index % options.environments}` });
    index += 1;
    const dueAt = startedAt + dueSeconds * 1000;
    const early = dueAt - performance.now();
    if (early > 0) await sleep(early);
    const push = pushOne({ client, body, key, dueAt, record }).finally(() => underway.delete(push));
    underway.add(push);
  }
  await Promise.all(underway);
  return record;
}

async function pushOne(options: {
  client: NativeClient;
  body: Uint8Array;
  key: string;
  dueAt: number;
  record: PushRecord;
}): Promise<void> {
  const { client, body, key, dueAt, record } = options;
  try {
    for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
      const reply = await client.push({ body, key });
      if (reply.status >= 200 && reply.status <= 299) {
        record.pushed += 1;
        record.bytes += body.length;
        record.latenciesMs.push(performance.now() - dueAt);
        return;
      }
      if (reply.status !== 429)
        throw new Error(`POST /v1/groups answered ${reply.status} ${reply.body.toString('utf8', 0, 300)}`);
      record.deferred += 1;
      await sleep(1000);
    }
    throw new Error(`POST /v1/groups was deferred ${MAX_TRIES} times`);
  } catch (error) {
    record.failures.push(error instanceof Error ? error.message : String(error));
  }
}
