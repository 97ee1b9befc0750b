import { createHash } from 'node:crypto';
import { createQueueChanges, createQueueStateRecord, planQueueWrite, type Home } from '@lachesis/store';
import { chainEvent } from '../../../packages/store/src/events/chain-event.ts';

const DAY_MS = 86_400_000;
const TENANT = 'local';
const GROUPS_PER_BATCH = 50;
/** Groups of one commit, as many as a busy server decides on at once. */
const PORTION = 1_000;
/** So many groups have the same payload: a reference that is dropped once too often shows. */
const SHARED = 100;

/** How much of everything; every `waitingEvery`th group was never settled. */
export interface HomeSize {
  groups: number;
  waitingEvery: number;
  events: number;
  records: number;
}

/** What has to be there afterwards. */
export interface FilledHome {
  runId: string;
  waiting: readonly string[];
  waitingDigests: readonly string[];
  /** Payloads of settled groups alone. */
  settledDigests: readonly string[];
}

/** A run as it was forty days ago, by the queue's own writer: groups of which most are settled, their batches, keys and events. */
export async function fillHome(home: Home, size: HomeSize): Promise<FilledHome> {
  const { store } = home;
  const { blobs } = await home.serveBlobs();
  const at = (await store.now()) - 40 * DAY_MS;
  const record = createQueueStateRecord();
  const queue = { tenantId: TENANT, runId: 'old-run', runName: 'old', incarnationId: 'old-incarnation', ordinal: 0 };
  const filled = { runId: queue.runId, waiting: [] as string[], waitingDigests: new Set<string>() };
  const settledDigests = new Set<string>();
  let version = 0;
  for (let start = 0; start < size.groups; start += PORTION) {
    const changes = createQueueChanges();
    const settled: string[] = [];
    for (let index = start; index < Math.min(size.groups, start + PORTION); index += 1) {
      const isWaiting = index % size.waitingEvery === 0;
      const bytes = Buffer.from(`payload ${isWaiting ? 'waits' : 'done'} ${Math.floor(index / SHARED)}`);
      const digest = createHash('sha256').update(bytes).digest('hex');
      const groupId = `old-${String(index).padStart(9, '0')}`;
      const known = isWaiting ? filled.waitingDigests : settledDigests;
      if (!known.has(digest)) await blobs.put(digest, bytes);
      known.add(digest);
      changes.groups.push({
        ...{ groupId, position: index, api: 'native', environmentId: null, envId: null, rolloutId: null },
        ...{ sequenceCount: 4, tokenCount: 32, longestSequence: 8, bodyDigest: null, outcome: 'scored', reason: null },
        ...{ payloadDigest: digest, payloadBytes: bytes.byteLength, idempotencyKey: `key-${index}` },
        ...{ environmentDigest: null, verifierDigest: null, split: 'train', consent: 'unspecified' },
        ...{ policyVersionMin: null, policyVersionMax: null, stepAtArrival: 0, receivedAt: at },
      });
      changes.idempotency.push({ key: `key-${index}`, bodyDigest: digest, reply: '{}', createdAt: at });
      if (isWaiting) {
        filled.waiting.push(groupId);
        changes.readyWrites.set(groupId, {
          ...{ groupId, position: index, place: 'queue', envId: null, sequenceCount: 4, tokenCount: 32 },
          ...{ payloadDigest: digest, payloadBytes: bytes.byteLength, failures: 0, nonFinite: false },
        });
      } else settled.push(groupId);
    }
    for (let first = 0; first < settled.length; first += GROUPS_PER_BATCH) {
      const groupIds = settled.slice(first, first + GROUPS_PER_BATCH);
      const ordinal = (record.nextBatchOrdinal += 1);
      const batchId = `old-batch-${String(ordinal).padStart(9, '0')}`;
      const ended = { fate: 'trained', epoch: 1, attempts: 1, step: ordinal, policyVersion: null } as const;
      changes.batchHistory.push({ ...ended, batchId, ordinal, groupIds, formedAt: at, endedAt: at });
      for (const groupId of groupIds) changes.fates.push({ groupId, fate: 'trained', reason: null, batchId, at });
    }
    const events = Math.ceil((size.events * PORTION) / size.groups);
    for (let count = 0; count < events; count += 1) {
      const event = { tenantId: TENANT, runId: queue.runId, cursor: record.eventCursor + 1, kind: 'filled', at };
      const hash = chainEvent(record.eventHash, { ...event, data: { count } });
      changes.events.push({ ...event, data: { count }, previousHash: record.eventHash, hash });
      record.eventCursor = event.cursor;
      record.eventHash = hash;
    }
    record.nextPosition = Math.min(size.groups, start + PORTION);
    record.counts.produced = record.nextPosition;
    record.counts.trained += settled.length;
    await store.commit(planQueueWrite(store.db, { ...queue, version, record }, changes, at));
    version += 1;
  }
  await fillRecords(home, size.records, at);
  const { runId, waiting, waitingDigests } = filled;
  return { runId, waiting, waitingDigests: [...waitingDigests], settledDigests: [...settledDigests] };
}

/** Recorded conversations as rows; their turns are another suite's. */
async function fillRecords({ store }: Home, count: number, at: number): Promise<void> {
  for (let start = 0; start < count; start += PORTION) {
    const rows = Array.from({ length: Math.min(PORTION, count - start) }, (_, index) => ({
      ...{ tenant_id: TENANT, trajectory_id: `old-record-${start + index}`, run_id: null, rollout_id: null },
      ...{ environment_id: null, outcome: 'finished', reason: null, split: 'train', consent: 'unspecified' },
      ...{ turn_count: 0, started_at: at, ended_at: at, key: null, recorder: null, owner: null, source: 'chaos' },
      ...{ model: null, user_name: null, title: '', reward: null, rating: null, feedback_count: 0, tags: '[]' },
      ...{ tool_call_count: 0, error_count: 0, reply_count: 0, token_count: null, completion_tokens: 0, cost: null },
      ...{ has_tokens: 0, missing_records: 0, gaps: null, updated_at: at, search_id: null, version: 1 },
    }));
    await store.db.insertInto('trajectories').values(rows).execute();
  }
}
