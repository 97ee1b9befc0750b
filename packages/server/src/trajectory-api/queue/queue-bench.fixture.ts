import type { QueueSnapshot, QueueChanges } from '@lachesis/store';
import { acceptGroups, type AcceptRequest, type AcceptResult, type IncomingGroup } from './accept-groups.ts';
import { registerEnvironment, type EnvironmentRegistration } from './environments.ts';
import { handOutBatch, type HandOut } from './hand-out-batch.ts';
import { isBalanced, readLedger, type QueueLedger } from './ledger.ts';
import { registerTrainer } from './register-trainer.ts';
import { createEmptyQueue, type OpenBatch, type QueueState } from './state.ts';
import { createTransaction, DEFAULT_RULES, type QueueRules, type Transaction } from './transaction.ts';

type RegistrationRecord = NonNullable<QueueSnapshot['state']['registration']>;

/** A queue on the workbench: one transaction per call, a clock that the test moves, ids that count. */
export interface QueueBench {
  readonly state: QueueState;
  /** What the last transaction changed. */
  readonly changes: QueueChanges;
  now: number;
  take<T>(decide: (transaction: Transaction) => T): T;
  push(...groups: Partial<IncomingGroup>[]): AcceptResult;
  pushBody(bodyDigest: string, options?: Partial<AcceptRequest>): AcceptResult;
  registerTrainer(batchSize: number): void;
  registerEnvironment(options?: Partial<EnvironmentRegistration>): number;
  handOut(state?: 'sending' | 'leased', leaseMs?: number): HandOut;
  /** Hands out a batch that must be there. */
  lease(leaseMs?: number): OpenBatch;
  /** The ledger, which must balance. */
  ledger(): QueueLedger;
}

export function createQueueBench(rules: Partial<QueueRules> = {}): QueueBench {
  let count = 0;
  const nextId = (): string => `id-${++count}`;
  const state = createEmptyQueue({ tenantId: 't', runId: 'run', runName: 'default', incarnationId: 'first' });
  const own = { ...DEFAULT_RULES, ...rules };
  let last = createTransaction({ turnId: 'none', state, rules: own, now: 0, nextId });
  const bench: QueueBench = {
    state,
    now: 1_000,
    get changes() {
      return last.changes;
    },
    take(decide) {
      last = createTransaction({ turnId: nextId(), state, rules: own, now: bench.now, nextId });
      const value = decide(last);
      if (last.dirty) state.version = last.changes.opened === null ? state.version + 1 : 1;
      return value;
    },
    push: (...groups) =>
      bench.take((transaction) =>
        acceptGroups(transaction, makeRequest({ groups: groups.map((group) => makeGroup(nextId(), group)) })),
      ),
    pushBody: (bodyDigest, options = {}) =>
      bench.take((transaction) =>
        acceptGroups(
          transaction,
          makeRequest({ bodyDigest, groups: [makeGroup(nextId(), {})], receiptId: nextId(), ...options }),
        ),
      ),
    registerTrainer: (batchSize) =>
      void bench.take((transaction) => registerTrainer(transaction, makeRegistration({ batchSize }))),
    registerEnvironment(options = {}) {
      const result = bench.take((transaction) => {
        transaction.state.record.started = true;
        return registerEnvironment(transaction, {
          maxTokenLength: 64,
          desiredName: 'env',
          weight: 1,
          groupSize: 4,
          minBatchAllocation: null,
          ...options,
        });
      });
      if (result.kind !== 'registered') throw new Error('the environment was told to wait');
      return result.environment.ordinal;
    },
    handOut: (kind = 'leased', leaseMs = 1_000) =>
      bench.take((transaction) => handOutBatch(transaction, { state: kind, owner: 'me', leaseMs })),
    lease(leaseMs) {
      const handOut = bench.handOut('leased', leaseMs);
      if (handOut.kind !== 'batch') throw new Error(`no batch: ${handOut.kind}`);
      return handOut.batch;
    },
    ledger() {
      const ledger = readLedger(state);
      if (!isBalanced(ledger)) throw new Error(`the ledger does not balance: ${JSON.stringify(ledger)}`);
      return ledger;
    },
  };
  return bench;
}

export function makeGroup(groupId: string, group: Partial<IncomingGroup>): IncomingGroup {
  return {
    groupId,
    envId: null,
    sequenceCount: 4,
    tokenCount: 32,
    longestSequence: 8,
    payloadDigest: `digest of ${groupId}`,
    payloadBytes: 100,
    nonFiniteFields: [],
    rolloutId: null,
    outcome: 'scored',
    reason: null,
    environmentDigest: null,
    verifierDigest: null,
    split: 'train',
    consent: 'unspecified',
    policyVersionMin: null,
    policyVersionMax: null,
    ...group,
  };
}

export function makeRequest(request: Partial<AcceptRequest>): AcceptRequest {
  return {
    api: 'atropos',
    groups: [],
    bodyDigest: 'body',
    idempotencyKey: null,
    receiptId: null,
    renderReply: (accepted) => accepted.map((group) => group.status).join(','),
    ...request,
  };
}

export function makeRegistration(registration: Partial<RegistrationRecord> = {}): RegistrationRecord {
  return {
    wandbGroup: 'g',
    wandbProject: 'p',
    batchSize: 8,
    maxTokenLen: 64,
    checkpointDir: '/checkpoints',
    saveCheckpointInterval: 10,
    startingStep: 0,
    numSteps: 100,
    maxStaleness: null,
    ...registration,
  };
}
