import {
  createIdSource,
  realClock,
  recipeSchema,
  type Clock,
  type FinalRunState,
  type LeasedBatch,
} from '@lachesis/protocol';
import { decodeGroup, encodeGroup, type EncodableGroup } from '@lachesis/protocol/codec';
import type { TrajectoryClient } from '@lachesis/sdk';
import {
  acquireRunLease,
  createQueueChanges,
  createQueueStateRecord,
  createTrainingRun,
  listRunProcesses,
  openCheckpointList,
  openHome,
  openStepLedger,
  planQueueWrite,
  recordPolicy,
  transitionRun,
  writeRunProcess,
  type Home,
  type JsonObject,
  type Store,
  type TrainingRun,
} from '@lachesis/store';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import type { TrainingEngine } from '../../training/engine/engine.ts';
import { watchJournal, type WatchedJournal } from '../../training/engine/watched-journal.ts';
import { createTrainer } from '../../training/rl/create-trainer.ts';
import { loadOwnCode } from '../../training/rl/own-code/load-own-code.ts';
import { createRolloutRecorder } from '../../training/rl/rollouts/rollout-recorder.ts';
import { createCheckpointModels, type CheckpointModels } from '../../models/checkpoint-models.ts';
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
  /** Called at the end of each step, with its line for people. */
  onStep?: (line: string) => void;
  /** The folder of `api.log`, `trainer.log` and `env.log`; none are named when absent. */
  logs?: string;
  /** Default: `toy`. */
  environment?: string;
  /** Settings of its environment, over the usual ones. */
  env?: object;
  /** More steps than it makes: it does not get to its end. */
  totalSteps?: number;
  /** When it happens, for a run of another day; now when absent. */
  time?: { clock: Clock; now: () => number };
  /** Where it stands then, and why. A run that goes on is held for so long that no supervisor takes it up. */
  end?: { state: FinalRunState | 'running'; reason: string };
  /** What the registry calls the weights that training began with; what the engine calls them when absent. */
  baseModel?: string;
  /** What the row of the run holds besides. */
  details?: JsonObject;
}

/** Longer than anybody looks at a run that nothing moves. */
const HELD_SECONDS = 30 * 24 * 3_600;

/** A run of some steps in a home: the real trainer on an engine in memory, its batches written to the store as they are leased. */
export async function makeTrainedRun(options: TrainedRunOptions): Promise<void> {
  const { run, steps, groupsOf, isReported = true } = options;
  const { environment = 'toy', totalSteps = steps, time = { clock: realClock, now: Date.now } } = options;
  await using opened = await openHome({ home: options.home });
  const { blobs } = opened;
  const store = options.time === undefined ? opened.store : atTime(opened.store, options.time.now);
  const home = { store, blobs };
  const ids = createIdSource({ now: time.now });
  const settings = {
    env: { batch_size: 2, group_size: 2, ...options.env },
    tinker: { mode: 'sync', save_checkpoint_interval: 0, logprobs_interval: 2, ...options.tinker },
  };
  const recipe = recipeSchema.parse({ ...settings, env: { ...settings.env, total_steps: steps } });
  const row = await createTrainingRun({
    ...{ store, tenantId: 'local', environment, ids, nextShortId: () => run },
    config: { recipe: { ...settings, env: { ...settings.env, total_steps: totalSteps } } },
    details: () => ({ totalSteps, ...options.details }),
    processes: () => ({ api: placeOf('api'), trainer: placeOf('trainer'), env: placeOf('env') }),
  });
  const lease = await startRun(store, row);
  const journal = watchJournal(createMemoryJournal());
  const scope = { store, tenantId: 'local', runId: ids.next(), incarnationId: ids.next(), ids };
  const log = pino({ level: 'silent' });
  await createTrainer({
    ...{ recipe, journal, log, consumer: 'test', clock: time.clock, wallClock: time.now },
    client: createStoredClient({ home, ...scope, run, nextId: () => ids.next(), groupsOf, now: time.now }),
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
      models: nameBase(createCheckpointModels({ store, tenantId: 'local', run, recipe }), options.baseModel),
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
  await endRun(store, lease, options.end ?? { state: 'completed', reason: 'it made its last step' });

  function placeOf(role: string): { logPath: string; port: null } {
    return { logPath: options.logs === undefined ? '' : join(options.logs, `${role}.log`), port: null };
  }
}

/** The store as it was at another time: whoever asks it for the time is told that one. */
const atTime = (store: Store, now: () => number): Store => ({
  dialect: store.dialect,
  get db() {
    return store.db;
  },
  commit: (unit, options) => store.commit(unit, options),
  now: async () => now(),
  close: () => store.close(),
});

const nameBase = (models: CheckpointModels, name: string | undefined): CheckpointModels => ({
  register: (checkpoints, baseModel) => models.register(checkpoints, name ?? baseModel),
  registerEnd: (end) => models.registerEnd({ ...end, baseModel: name ?? end.baseModel }),
});

type RunLease = NonNullable<Awaited<ReturnType<typeof acquireRunLease>>>['lease'];

async function startRun(store: Store, { runId, tenantId }: TrainingRun): Promise<RunLease> {
  const held = await acquireRunLease({ store, tenantId, runId, holder: 'fixture', seconds: HELD_SECONDS });
  if (held === undefined) throw new Error('somebody else looks after the run');
  const { lease } = held;
  await transitionRun({ store, lease, from: 'pending', to: 'starting', reason: 'its processes start' });
  await transitionRun({ store, lease, from: 'starting', to: 'running', reason: 'every process answers' });
  return lease;
}

async function endRun(
  store: Store,
  lease: RunLease,
  { state, reason }: NonNullable<TrainedRunOptions['end']>,
): Promise<void> {
  const processState = state === 'running' ? 'running' : state === 'completed' ? 'ended' : 'stopped';
  for (const process of await listRunProcesses({ store, tenantId: lease.tenantId, runId: lease.resource })) {
    await writeRunProcess({ store, lease, process: { ...process, state: processState } });
  }
  if (state === 'running') return;
  await transitionRun({ store, lease, from: 'running', to: 'stopping', reason, outcome: state });
  await transitionRun({ store, lease, from: 'stopping', to: state, reason });
}

/** As much of a trajectory API as a trainer needs, over the same rows and blobs. */
function createStoredClient(options: {
  home: Pick<Home, 'blobs' | 'store'>;
  runId: string;
  incarnationId: string;
  run: string;
  nextId: () => string;
  now: () => number;
  groupsOf: TrainedRunOptions['groupsOf'];
}): TrajectoryClient {
  const { home, runId, incarnationId, nextId, now } = options;
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
        ...{ rolloutId: null, ...sizeOf(groups[index]!), payloadDigest: digests[index]! },
        ...{ payloadBytes: payload.length, bodyDigest: null, idempotencyKey: null, outcome: 'scored', reason: null },
        ...{ environmentDigest: null, verifierDigest: null, split: 'train', consent: 'unspecified' },
        ...{ policyVersionMin: null, policyVersionMax: null, stepAtArrival: 0, receivedAt: now() },
      });
    }
    const groupIds = changes.groups.map(({ groupId }) => groupId);
    const ended = { fate: 'trained', epoch: 1, attempts: 1, step: null, policyVersion: null } as const;
    changes.batchHistory.push({ ...ended, batchId, ordinal: version, groupIds, formedAt: now(), endedAt: now() });
    for (const groupId of groupIds) changes.fates.push({ groupId, fate: 'trained', reason: null, batchId, at: now() });
    const identity = { tenantId: 'local', runId, runName: options.run, incarnationId, ordinal: 0, version };
    const unit = planQueueWrite(home.store.db, { ...identity, record: createQueueStateRecord() }, changes, now());
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

const sizeOf = ({ tokens: { values, rowLengths } }: EncodableGroup) => ({
  ...{ sequenceCount: rowLengths.length, tokenCount: values.length, longestSequence: Math.max(...rowLengths) },
});
