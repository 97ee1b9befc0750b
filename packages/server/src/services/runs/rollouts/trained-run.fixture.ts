import { createIdSource, realClock, recipeSchema, type LeasedBatch } from '@lachesis/protocol';
import { decodeGroup, encodeGroup, type EncodableGroup } from '@lachesis/protocol/codec';
import type { TrajectoryClient } from '@lachesis/sdk';
import {
  createQueueChanges,
  createQueueStateRecord,
  createTrainingRun,
  openCheckpointList,
  openHome,
  openStepLedger,
  planQueueWrite,
  recordPolicy,
  type Home,
  type Store,
} from '@lachesis/store';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import type { TrainingEngine } from '../../training/engine/engine.ts';
import { watchJournal, type WatchedJournal } from '../../training/engine/watched-journal.ts';
import { createTrainer } from '../../training/rl/create-trainer.ts';
import { loadOwnCode } from '../../training/rl/own-code/load-own-code.ts';
import { createRolloutRecorder } from '../../training/rl/rollouts/rollout-recorder.ts';
import { createCheckpointModels } from '../../models/checkpoint-models.ts';
import type { MetricSink } from '../../training/sinks/metric-sink.ts';
import { createMemoryJournal, FakeEngine } from '../../training/testing/fake-engine.fixture.ts';

export interface TrainedRunOptions {
  home: string;
  /** Its name, and its short id. */
  run: string;
  steps: number;
  groupsOf: (step: number) => EncodableGroup[];
  tinker?: object;
  /** One in memory that answers at once when absent. */
  openEngine?: (journal: WatchedJournal) => TrainingEngine;
  /** Where metrics go; nowhere when absent. */
  openSink?: (scope: { store: Store; tenantId: string; runId: string; log: Logger }) => Promise<MetricSink>;
  /** False: the steps are made and nothing is told of their rollouts. */
  isReported?: boolean;
  /** Called at the end of each step. */
  onStep?: () => void;
  /** The folder of `api.log`, `trainer.log` and `env.log`; none are named when absent. */
  logs?: string;
}

/** A run of some steps in a home: the real trainer on an engine in memory, its batches written to the store as they are leased. */
export async function makeTrainedRun(options: TrainedRunOptions): Promise<void> {
  const { run, steps, groupsOf, isReported = true } = options;
  await using home = await openHome({ home: options.home });
  const { store, blobs } = home;
  const ids = createIdSource();
  const recipe = recipeSchema.parse({
    env: { batch_size: 2, group_size: 2, total_steps: steps },
    tinker: { mode: 'sync', save_checkpoint_interval: 0, logprobs_interval: 2, ...options.tinker },
  });
  const journal = watchJournal(createMemoryJournal());
  const scope = { store, tenantId: 'local', runId: ids.next(), incarnationId: ids.next(), ids };
  const log = pino({ level: 'silent' });
  await createTrainer({
    ...{ recipe, journal, log, consumer: 'test', clock: realClock, wallClock: Date.now },
    client: createStoredClient({ home, ...scope, run, nextId: () => ids.next(), groupsOf }),
    inference: {
      publishPolicy: async (policy) => ({ ...policy, base_model: 'base', active_since: 0 }),
      readPolicy: async () => ({ active: null, history: [] }),
    },
    onLine: options.onStep,
    loadOwnCode: () => loadOwnCode(recipe.tinker),
    openEngine: async () => options.openEngine?.(journal) ?? new FakeEngine().connect(journal, () => undefined),
    openRecords: async () => ({
      ledger: openStepLedger(scope),
      checkpoints: openCheckpointList(scope),
      models: createCheckpointModels({ store, tenantId: 'local', run, recipe }),
      sink: (await options.openSink?.({ ...scope, log })) ?? {
        ...{ name: 'none', write: async () => undefined, close: async () => undefined },
      },
      ...(isReported ? { rollouts: createRolloutRecorder({ ...scope, blobs, settings: recipe.tinker, log }) } : {}),
      recordMetrics: async () => undefined,
      keepItems: async () => ({ rates: [] }),
      series: [],
      readSeries: async () => [],
      recordPolicy: (policy) => recordPolicy({ ...scope, policy }),
      policies: [],
    }),
  }).run();
  const placeOf = (role: string) => ({
    logPath: options.logs === undefined ? '' : join(options.logs, `${role}.log`),
    port: null,
  });
  const row = await createTrainingRun({
    ...{ store, tenantId: 'local', environment: 'toy', config: {}, ids, details: () => ({ totalSteps: steps }) },
    processes: () => ({ api: placeOf('api'), trainer: placeOf('trainer'), env: placeOf('env') }),
    nextShortId: () => run,
  });
  // It has ended, so that no supervisor takes it up.
  await store.db
    .updateTable('training_runs')
    .set({ state: 'completed', started_at: row.createdAt, ended_at: row.createdAt + 1 })
    .where('run_id', '=', row.runId)
    .execute();
}

/** As much of a trajectory API as a trainer needs, over the same rows and blobs. */
function createStoredClient(options: {
  home: Home;
  runId: string;
  incarnationId: string;
  run: string;
  nextId: () => string;
  groupsOf: TrainedRunOptions['groupsOf'];
}): TrajectoryClient {
  const { home, runId, incarnationId, nextId } = options;
  const payloads = new Map<string, Uint8Array[]>();
  let version = 0;
  let position = 0;

  async function store(batchId: string, groups: readonly EncodableGroup[]): Promise<string[]> {
    const changes = createQueueChanges();
    const bytes = groups.map(encodeGroup);
    payloads.set(batchId, bytes);
    const digests = bytes.map((payload) => hash('sha256', payload));
    // As the trajectory API has them: several are written at once.
    await Promise.all(bytes.map((payload, index) => home.blobs.put(digests[index]!, payload)));
    for (const [index, payload] of bytes.entries()) {
      changes.groups.push({
        ...{ groupId: nextId(), position: (position += 1), api: 'native', environmentId: null, envId: null },
        ...{ rolloutId: null, sequenceCount: 2, tokenCount: 7, longestSequence: 4, payloadDigest: digests[index]! },
        ...{ payloadBytes: payload.length, bodyDigest: null, idempotencyKey: null, outcome: 'scored', reason: null },
        ...{ environmentDigest: null, verifierDigest: null, split: 'train', consent: 'unspecified' },
        ...{ policyVersionMin: null, policyVersionMax: null, stepAtArrival: 0, receivedAt: 1 },
      });
    }
    const groupIds = changes.groups.map(({ groupId }) => groupId);
    const ended = { fate: 'trained', epoch: 1, attempts: 1, step: null, policyVersion: null } as const;
    changes.batchHistory.push({ ...ended, batchId, ordinal: version, groupIds, formedAt: 0, endedAt: 0 });
    for (const groupId of groupIds) changes.fates.push({ groupId, fate: 'trained', reason: null, batchId, at: 1 });
    const identity = { tenantId: 'local', runId, runName: options.run, incarnationId, ordinal: 0, version };
    const unit = planQueueWrite(home.store.db, { ...identity, record: createQueueStateRecord() }, changes, 1);
    await home.store.commit(unit);
    version += 1;
    return groupIds;
  }

  const client: Pick<TrajectoryClient, 'ack' | 'fetchBatchGroups' | 'leaseBatch' | 'nack' | 'register' | 'renew'> = {
    register: async ({ batch_size: batchSize }) => ({
      ...{ run_id: runId, incarnation_id: incarnationId, batch_size: batchSize, current_step: 0 },
    }),
    leaseBatch: async () => {
      const batchId = nextId();
      const ids = await store(batchId, options.groupsOf(version + 1));
      return { batch_id: batchId, epoch: 1, lease_seconds: 60, groups: ids } as unknown as LeasedBatch;
    },
    fetchBatchGroups: async ({ batch_id: batchId }) => (payloads.get(batchId) ?? []).map(decodeGroup),
    renew: async ({ batch_id: batchId, epoch }) => ({ batch_id: batchId, epoch, status: 'leased', replayed: false }),
    ack: async ({ batch_id: batchId, epoch }) => ({ batch_id: batchId, epoch, status: 'trained', replayed: false }),
    nack: async ({ batch_id: batchId, epoch }) => ({ batch_id: batchId, epoch, status: 'returned', replayed: false }),
  };
  return client as TrajectoryClient;
}
