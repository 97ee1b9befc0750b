import type { JsonValue } from '../events/canonical-json.ts';
import type { BatchFate, GroupFate, GroupPlace, OpenBatchState } from '../schema/queue.ts';

/**
 * What the queue of one run incarnation keeps in the database. The trajectory API holds the same records in memory as a
 * cache: everything here can be thrown away and loaded again at any time.
 */

/** The trainer's registration, with the names of the Atropos wire in camel case. */
export interface RegistrationRecord {
  wandbGroup: string;
  wandbProject: string;
  batchSize: number;
  maxTokenLen: number;
  checkpointDir: string;
  saveCheckpointInterval: number;
  startingStep: number;
  numSteps: number;
  /** How many batches may wait ahead of the trainer before native pushes are refused; null means the server's setting. */
  maxStaleness: number | null;
}

export interface QueueCounts {
  /** Groups accepted since the incarnation opened. */
  produced: number;
  /** Groups handed to plain trainers, which never confirm. */
  delivered: number;
  /** Groups acknowledged by native trainers. */
  trained: number;
  quarantined: number;
  /** Groups given up on purpose, by reason. */
  dropped: Record<string, number>;
}

/** The one JSON document of an incarnation; rewritten by every commit, so it stays small whatever the queue holds. */
export interface QueueStateRecord {
  registration: RegistrationRecord | null;
  /** Survives a reset, as in the original server. */
  carried: { maxTokenLen: number; checkpointDir: string; saveCheckpointInterval: number };
  started: boolean;
  formedBatches: number;
  deliveredBatches: number;
  nextPosition: number;
  nextBatchOrdinal: number;
  counts: QueueCounts;
  latest: { payloadDigest: string; nonFinite: boolean } | null;
  policyVersion: number | null;
  eventCursor: number;
  eventHash: string;
  /** Ids of the last turns committed: how a server whose COMMIT got no answer learns whether it happened. */
  recentTurns: string[];
  /** Sequences of each environment that are in batches already, by which weights, where they differ. */
  weighted?: { key: string; packed: Record<string, number> };
}

/** An environment that registered with a run, and whether it is still connected. */
export interface EnvironmentRecord {
  environmentId: string;
  /** The integer `env_id` of the wire. */
  ordinal: number;
  desiredName: string;
  realName: string;
  weight: number;
  maxContextLen: number;
  groupSize: number;
  minBatchAllocation: number | null;
  connected: boolean;
  disconnectReason: string | null;
  registeredAt: number;
  /** When it was last heard, as far as that was written down; null where one server alone hears it. */
  heardAt: number | null;
}

/** A group that waits to be put in a batch. */
export interface ReadyGroupRecord {
  groupId: string;
  /** Order inside its place; a group that leaves a buffer gets a new one, because it joins the end of the queue. */
  position: number;
  place: GroupPlace;
  /** `env_id` as sent: it may name no registered environment. */
  envId: number | null;
  /** What it counts for in a batch: its rollouts where it names them, and else its sequences. */
  sequenceCount: number;
  tokenCount: number;
  payloadDigest: string;
  payloadBytes: number;
  /** Deliveries that ended in a nack or an expired lease. */
  failures: number;
  /** Holds NaN or Infinity; only runs that follow the original to the letter queue such groups. */
  nonFinite: boolean;
}

/** A batch that was formed and is not settled. */
export interface OpenBatchRecord {
  batchId: string;
  ordinal: number;
  /** formed: waiting; sending: being written to a plain trainer's socket; leased: held by a native trainer. */
  state: OpenBatchState;
  /** Counts hand-outs; an answer that carries an older epoch is refused. */
  epoch: number;
  attempts: number;
  owner: string;
  leaseExpiresAt: number | null;
  groupIds: string[];
  formedAt: number;
}

/** An accepted POST whose reply is not known to have reached the socket. */
export interface PostReceiptRecord {
  receiptId: string;
  environmentKey: string;
  bodyDigest: string;
  reply: string;
  receivedAt: number;
  /** Which of several servers is answering it; null where one is alone, and once its socket closed. */
  answeredBy: string | null;
}

/** One accepted group, appended once and never rewritten. */
export interface GroupHistoryRecord {
  groupId: string;
  position: number;
  api: 'atropos' | 'native';
  environmentId: string | null;
  envId: number | null;
  rolloutId: string | null;
  sequenceCount: number;
  tokenCount: number;
  longestSequence: number;
  payloadDigest: string;
  payloadBytes: number;
  bodyDigest: string | null;
  idempotencyKey: string | null;
  outcome: 'scored' | 'failed' | 'abstained';
  reason: string | null;
  environmentDigest: string | null;
  verifierDigest: string | null;
  split: 'train' | 'eval';
  consent: string;
  policyVersionMin: number | null;
  policyVersionMax: number | null;
  stepAtArrival: number;
  receivedAt: number;
}

/** What became of an accepted group, and when. */
export interface GroupFateRecord {
  groupId: string;
  fate: GroupFate;
  reason: string | null;
  batchId: string | null;
  at: number;
}

/** A batch that was settled: how it ended, and at which step. */
export interface BatchHistoryRecord {
  batchId: string;
  ordinal: number;
  fate: BatchFate;
  epoch: number;
  attempts: number;
  step: number | null;
  policyVersion: number | null;
  groupIds: string[];
  formedAt: number;
  endedAt: number;
}

/** An event of a run, chained to the one before it by its hash. */
export interface EventRecord {
  cursor: number;
  kind: string;
  at: number;
  data: Record<string, JsonValue>;
  previousHash: string;
  hash: string;
}

/** The reply that a repeated request with the same key is given. */
export interface IdempotencyRecord {
  key: string;
  bodyDigest: string;
  reply: string;
  createdAt: number;
}

/** The queue of one incarnation of a run, as it is in the database. */
export interface QueueSnapshot {
  tenantId: string;
  runId: string;
  runName: string;
  incarnationId: string;
  ordinal: number;
  version: number;
  state: QueueStateRecord;
  environments: EnvironmentRecord[];
  groups: ReadyGroupRecord[];
  batches: OpenBatchRecord[];
  receipts: PostReceiptRecord[];
}

/** Everything one turn changed. Maps and sets are keyed by id, so a row touched twice in a turn is written once. */
export interface QueueChanges {
  readonly groups: GroupHistoryRecord[];
  readonly readyWrites: Map<string, ReadyGroupRecord>;
  readonly readyDeletes: Set<string>;
  readonly batchWrites: Map<string, OpenBatchRecord>;
  readonly batchDeletes: Set<string>;
  readonly batchHistory: BatchHistoryRecord[];
  readonly fates: GroupFateRecord[];
  readonly receiptWrites: Map<string, PostReceiptRecord>;
  readonly receiptDeletes: Set<string>;
  /** Receipts with rows that nobody answers any more. */
  readonly receiptsLost: Set<string>;
  readonly environmentWrites: Map<number, EnvironmentRecord>;
  readonly idempotency: IdempotencyRecord[];
  readonly events: EventRecord[];
  /** Set by a reset: the old incarnation is closed and this one opened in the same commit. */
  opened: {
    incarnationId: string;
    ordinal: number;
    closed: { incarnationId: string; reason: string; state: QueueStateRecord };
  } | null;
}

/** An empty set of changes, to be filled and committed as one write. */
export function createQueueChanges(): QueueChanges {
  return {
    groups: [],
    readyWrites: new Map(),
    readyDeletes: new Set(),
    batchWrites: new Map(),
    batchDeletes: new Set(),
    batchHistory: [],
    fates: [],
    receiptWrites: new Map(),
    receiptDeletes: new Set(),
    receiptsLost: new Set(),
    environmentWrites: new Map(),
    idempotency: [],
    events: [],
    opened: null,
  };
}

/** The state of a queue before its trainer has registered. */
export function createQueueStateRecord(): QueueStateRecord {
  return {
    registration: null,
    carried: { maxTokenLen: -1, checkpointDir: '', saveCheckpointInterval: -1 },
    started: false,
    formedBatches: 0,
    deliveredBatches: 0,
    nextPosition: 0,
    nextBatchOrdinal: 0,
    counts: { produced: 0, delivered: 0, trained: 0, quarantined: 0, dropped: {} },
    latest: null,
    policyVersion: null,
    eventCursor: 0,
    eventHash: '',
    recentTurns: [],
  };
}
