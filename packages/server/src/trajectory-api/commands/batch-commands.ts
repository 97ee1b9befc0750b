import type { LeasedBatch } from '@lachesis/protocol';
import {
  dropBatch,
  findHeldBatch,
  finishBatch,
  handOutBatch,
  quarantineFromBatch,
  rejectBatch,
  renewLease,
  returnBatch,
  type HandOut,
} from '../queue/hand-out-batch.ts';
import { currentStep } from '../queue/state.ts';
import type { Transaction } from '../queue/transaction.ts';
import type { CommandContext } from './command.ts';

/** A verb of the queue as a command: it is decided in a transaction of the run, and answered when that is committed. */
const decided =
  <Input, Output>(verb: (transaction: Transaction, input: Input) => Output) =>
  ({ run }: CommandContext, input: Input): Promise<Output> =>
    run.queue.execute((transaction) => verb(transaction, input));

export type Taken =
  | { kind: 'unregistered' }
  | { kind: 'empty' }
  | {
      kind: 'batch';
      claim: { batchId: string; epoch: number };
      digests: string[];
      groupIds: string[];
      isNotFinite: boolean;
    };

/** `takeId` is there where several servers share the run: asked again under it, the same batch is meant. */
function takePlain(
  transaction: Transaction,
  { server, takeId, leaseMs }: { server: string; takeId: string | null; leaseMs: number },
): Taken {
  const owner = takeId === null ? server : `${server} ${takeId}`;
  const known = takeId === null ? undefined : transaction.state.batches.find((batch) => batch.owner === owner);
  const handOut: HandOut =
    known === undefined
      ? handOutBatch(transaction, { state: 'sending', owner, leaseMs })
      : { kind: 'batch', batch: known };
  if (handOut.kind !== 'batch') return handOut;
  const { batchId, epoch, groups } = handOut.batch;
  return {
    kind: 'batch',
    claim: { batchId, epoch },
    digests: groups.map((group) => group.payloadDigest),
    groupIds: groups.map((group) => group.groupId),
    isNotFinite: groups.some((group) => group.nonFinite),
  };
}

function takeLeased(
  transaction: Transaction,
  { consumer, seconds }: { consumer: string; seconds: number },
): LeasedBatch | null | 'unregistered' {
  const handOut = handOutBatch(transaction, { state: 'leased', owner: consumer, leaseMs: seconds * 1000 });
  if (handOut.kind === 'unregistered') return handOut.kind;
  if (handOut.kind === 'empty') return null;
  const { batchId, epoch, attempts, groups } = handOut.batch;
  return {
    batch_id: batchId,
    epoch,
    attempt: attempts,
    lease_seconds: seconds,
    step: currentStep(transaction.state, { countsFormed: transaction.rules.deviates }),
    groups: groups.map((group) => ({
      group_id: group.groupId,
      digest: group.payloadDigest,
      bytes: group.payloadBytes,
      sequence_count: group.sequenceCount,
      token_count: group.tokenCount,
      env_id: group.envId,
    })),
  };
}

function findHeld(
  transaction: Transaction,
  { batchId, epoch }: { batchId: string; epoch: number },
): { groupId: string; digest: string }[] | null {
  const batch = findHeldBatch(transaction, batchId, epoch);
  return batch?.groups.map((group) => ({ groupId: group.groupId, digest: group.payloadDigest })) ?? null;
}

export const batchCommands = {
  takePlain: decided(takePlain),
  takeLeased: decided(takeLeased),
  findHeld: decided(findHeld),
  renewLease: decided(renewLease),
  finishBatch: decided(finishBatch),
  rejectBatch: decided(rejectBatch),
  returnBatch: decided(returnBatch),
  quarantineFromBatch: decided(quarantineFromBatch),
  dropBatch: decided(dropBatch),
};
