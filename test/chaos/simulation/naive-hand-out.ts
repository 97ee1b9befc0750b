import type { ReadyGroupRecord } from '../../../packages/store/src/index.ts';
import { packBatchWithMinimums } from '../../../packages/server/src/trajectory-api/packing/pack-batch-with-minimums.ts';
import { packExactBatch } from '../../../packages/server/src/trajectory-api/packing/pack-exact-batch.ts';
import {
  expireLeases,
  handOutBatch,
  type HandOut,
  type HandOutRequest,
} from '../../../packages/server/src/trajectory-api/queue/hand-out-batch.ts';
import type { Transaction } from '../../../packages/server/src/trajectory-api/queue/transaction.ts';
import type { World } from './world.ts';

/**
 * Hands out a batch and compares what came out with the rules in their plainest form: pack one batch after the other
 * until none is left, then give the oldest (to the letter of the original: the newest).
 */
export function handOutChecked(world: World, transaction: Transaction, request: HandOutRequest): HandOut {
  expireLeases(transaction);
  const { state } = transaction;
  const formed = state.batches.filter((batch) => batch.state === 'formed').map((batch) => batch.groupIds.join());
  const expected = formed.length > 0 ? { batches: formed, rest: idsOf(state.queue) } : packNaively(transaction);
  const handOut = handOutBatch(transaction, request);
  if (handOut.kind === 'unregistered') return handOut;

  const wanted = transaction.rules.deviates ? expected.batches[0] : expected.batches.at(-1);
  const got = handOut.kind === 'batch' ? handOut.batch.groupIds.join() : undefined;
  world.expect(got === wanted, () => `packing: handed out [${got}] where the plain rule gives [${wanted}]`);
  const rest = idsOf(state.queue);
  world.expect(
    rest === expected.rest,
    () => `packing: [${rest}] stays queued where the plain rule leaves [${expected.rest}]`,
  );
  return handOut;
}

function packNaively({ state, rules }: Transaction): { batches: string[]; rest: string } {
  const batchSize = state.record.registration?.batchSize ?? 0;
  const environments = state.environments.map(({ ordinal, connected, minBatchAllocation }) => ({
    envId: ordinal,
    connected,
    minBatchAllocation,
  }));
  const hasMinimums = environments.some(
    (environment) => environment.connected && environment.minBatchAllocation !== null,
  );
  const fits = ({ sequenceCount }: ReadyGroupRecord): boolean =>
    sequenceCount > 0 && (hasMinimums ? sequenceCount <= batchSize : batchSize % sequenceCount === 0);
  let rest = rules.deviates ? state.queue.filter(fits) : state.queue;
  const batches: string[] = [];
  for (;;) {
    const packed = hasMinimums ? packBatchWithMinimums(rest, batchSize, environments) : packExactBatch(rest, batchSize);
    if (packed === null) return { batches, rest: idsOf(rest) };
    batches.push(idsOf(packed.batch));
    rest = packed.rest;
  }
}

function idsOf(groups: readonly ReadyGroupRecord[]): string {
  return groups.map((group) => group.groupId).join();
}
