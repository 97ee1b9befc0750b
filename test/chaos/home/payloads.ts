import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';

import { decodeGroup, encodeGroup } from '@lachesis/protocol/codec';
import { createTrajectoryClient, type TrajectoryClient } from '@lachesis/sdk';

import { packNumberedGroup, readPackedNumber, SEQUENCES } from '../trajectory-api/load/numbered-group.ts';

const clientOf = (port: number): TrajectoryClient =>
  createTrajectoryClient({ url: `http://127.0.0.1:${port}`, retryForMs: 5_000 });

/** Pushes groups and returns the numbers that were acknowledged; the others were refused. */
export async function pushGroups(port: number, numbers: readonly number[]): Promise<number[]> {
  const client = clientOf(port);
  const acknowledged: number[] = [];
  for (const number of numbers) {
    try {
      await client.pushGroup(decodeGroup(packNumberedGroup(number)), {
        idempotencyKey: `home-${number}`,
        retryForMs: 0,
      });
      acknowledged.push(number);
    } catch {
      // Not acknowledged: the server owes nothing.
    }
  }
  return acknowledged;
}

/** One group at a time is leased at `from` and acknowledged at `to`; returns the numbers that came and were settled. */
export async function trainOnAll(from: number, to = from): Promise<number[]> {
  const [client, other] = [clientOf(from), clientOf(to)];
  await client.register({ batch_size: SEQUENCES });
  const seen: number[] = [];
  for (;;) {
    const batch = await client.leaseBatch({ waitSeconds: 1 });
    if (batch === null) return seen.toSorted((left, right) => left - right);
    const groups = await client.fetchBatchGroups(batch);
    await other.ack(batch, { step: seen.length + 1 });
    seen.push(...groups.map((group) => readPackedNumber(encodeGroup(group))));
  }
}

export const readQuarantined = async (port: number): Promise<number> => (await clientOf(port).ledger()).quarantined;

/** The names of all payloads in a home. */
export async function listPayloads(home: string): Promise<string[]> {
  const names = await readdir(join(home, 'blobs'), { recursive: true });
  return names.map((name) => name.slice(name.lastIndexOf('/') + 1)).filter((name) => /^[0-9a-f]{64}$/.test(name));
}

/** As if everything had been written five hours ago: old enough for the collector of orphans. */
export async function agePayloads(home: string): Promise<void> {
  const then = new Date(Date.now() - 5 * 60 * 60_000);
  for (const name of await listPayloads(home)) await utimes(join(home, 'blobs', name.slice(0, 2), name), then, then);
}

/** How many of these payloads are not there any more. */
export async function countGone(home: string, before: readonly string[]): Promise<number> {
  const there = new Set(await listPayloads(home));
  return before.filter((name) => !there.has(name)).length;
}
