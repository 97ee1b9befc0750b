import { createIdSource, LachesisError, realClock, type RunKind } from '@lachesis/protocol';
import { describeNames, isName } from '@lachesis/protocol/names';
import { runPath } from '@lachesis/protocol/home';
import {
  type autoRenew,
  findDataset,
  findOrCreateRun,
  holdLease,
  openCheckpointList,
  openStepLedger,
  openHome,
  recordPolicy,
  registerModel,
  type BlobStore,
  type ModelVersion,
  type Store,
} from '@lachesis/store';
import type { DatasetVersion } from '@lachesis/protocol';
import { createTinkerClient, type TrainingClient } from '@lachesis/tinker';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openSystemProcesses } from '../../runs/supervisor/system-processes.ts';
import type { TrainingEngine } from '../engine/engine.ts';
import { createTinkerEngine } from '../engine/tinker-engine.ts';
import { watchJournal } from '../engine/watched-journal.ts';
import { TrainerError } from '../trainer-error.ts';
import { createCheckpointRetention } from '../checkpoint-retention.ts';
import { createRecordMethod } from './create-record-method.ts';
import type { RecordMethod, RecordMethodName } from './method.ts';
import { orderRows } from './order-rows.ts';
import type { RecordTrainingProgress } from './deps.ts';
import { readRecordSettings, type RecordTrainingSettings } from './settings.ts';
import { trainRecords } from './train-records.ts';
import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { createLog } from '../../../http/logs/create-log.ts';
import { needBeginning, type FoundStart } from '../../models/find-start.ts';
import { findTokenizer } from '../../models/find-tokenizer.ts';
import { registerRun, type RegisteredRun } from './registered-run.ts';
import { openRunMemory, type RecordTrainingResult, type RunMemory } from './training-memory.ts';
import { createReferenceCache } from './training-reference.ts';
import { readExamples, type ReadExamples } from './training-rows.ts';
import { openJournal } from '../engine/open-journal.ts';
import { openSinks } from '../sinks/open-sinks.ts';

type RenewedLease = ReturnType<typeof autoRenew>;

export type { RecordTrainingProgress } from './deps.ts';

export interface TrainOnRecordsOptions {
  readonly method: RecordMethodName;
  /** Among the runs; default: the method. */
  readonly kind?: RunKind | undefined;
  /** The version is the newest when absent. */
  readonly dataset: { readonly name: string; readonly version?: number | undefined };
  /** Name of the run: the same name goes on where it stopped, and a finished one gives its result again. */
  readonly run: string;
  /** What is absent has the default of the method. */
  readonly settings?: Partial<RecordTrainingSettings> | undefined;
  readonly tinker: { readonly baseUrl?: string | undefined; readonly apiKey?: string | undefined };
  /** Folder of Lachesis. */
  readonly home: string;
  /** PostgreSQL instead of SQLite in the home. */
  readonly databaseUrl?: string | undefined;
  readonly tenantId?: string | undefined;
  /** Ends it after the step that is under way, with a checkpoint. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: RecordTrainingProgress) => void) | undefined;
  /** Default: warnings, as JSON lines on standard error. */
  readonly log?: Logger | undefined;
  readonly replace?: RecordTrainingReplacements | undefined;
}

/** Parts that a caller may put in place of the real ones; each gets the real one to wrap. */
export interface RecordTrainingReplacements {
  method?: (real: RecordMethod) => RecordMethod;
}

/** Without a sign of life for so long a run is free; a process of this machine that died frees it at once. */
const LEASE_SECONDS = 60;

/** Trains on a version of a data set, from where an earlier process with the same run name stopped. */
export async function trainOnRecords(options: TrainOnRecordsOptions): Promise<RecordTrainingResult> {
  const { method, run, home, tenantId = LOCAL_TENANT } = options;
  const given = options.settings ?? {};
  const asked = readRecordSettings(method, given);
  if (!isName('run', run)) throw refuse(`${JSON.stringify(run)} is no name of a run: ${describeNames('run')}.`);
  await mkdir(runPath(home, run), { recursive: true });
  const { store, blobs } = await openHome({ home, databaseUrl: options.databaseUrl });
  try {
    const dataset = await needDataset({ store, tenantId, ref: nameDataset(options.dataset) });
    const { runId } = await findOrCreateRun({ store, tenantId, name: run });
    await using held = await holdRun({ store, tenantId, runId, run });
    const memory = openRunMemory({ store: held.store, tenantId, runId, run });
    const settings = await memory.begin({ method, dataset: dataset.dataset_id, given, settings: asked });
    const done = await memory.readResult();
    if (done !== undefined) return done;
    const registered = await registerRun({
      ...{ store, table: openSystemProcesses(), home, tenantId, run, kind: options.kind ?? method, given, settings },
      dataset: `${dataset.name}@${dataset.version}`,
      command: ['train', method, '--dataset', `${dataset.name}@${dataset.version}`],
      engineUrl: options.tinker.baseUrl,
    });
    // Every write from here on goes through the fence: a process that slept while another took the run over changes nothing.
    const isRankGiven = given.lora_rank !== undefined;
    const fenced = { tenantId, settings, store: held.store, blobs, dataset, runId, memory, lost: held.signal };
    return await trainRegistered({ ...options, ...fenced, isRankGiven, registered });
  } finally {
    await store.close();
  }
}

/** As a run among the others: what somebody reads of it later is in its row and its log. */
async function trainRegistered(options: TrainOptions): Promise<RecordTrainingResult> {
  const { registered, onProgress = () => undefined } = options;
  const stop = options.signal ?? new AbortController().signal;
  try {
    const result = await train({
      ...options,
      signal: AbortSignal.any([stop, registered.stop]),
      onProgress: (progress) => {
        registered.write(progress.detail);
        onProgress(progress);
      },
    });
    const { state, steps, totalSteps, model } = result;
    await (state === 'finished'
      ? registered.end('completed', `finished at step ${steps}: ${model}`)
      : registered.end('stopped', `was stopped after step ${steps} of ${totalSteps}`));
    return result;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    registered.write(reason);
    // Why it broke is what the caller is told, whatever becomes of the row.
    await registered.end(stop.aborted ? 'stopped' : 'failed', reason).catch(() => undefined);
    throw error;
  }
}

interface TrainOptions extends Omit<TrainOnRecordsOptions, 'dataset' | 'settings' | 'tenantId'> {
  tenantId: string;
  settings: RecordTrainingSettings;
  /** Behind the fence of the run's lease. */
  store: Store;
  blobs: BlobStore;
  dataset: DatasetVersion;
  runId: string;
  memory: RunMemory;
  registered: RegisteredRun;
  /** Whether the caller said a rank, or the default stands. */
  isRankGiven: boolean;
  /** Aborted, with the error that says so, when the run belongs to somebody else. */
  lost: AbortSignal;
}

async function train(options: TrainOptions): Promise<RecordTrainingResult> {
  const { tenantId, store, blobs, dataset, runId, run, memory, home, tinker, onProgress = () => undefined } = options;
  const log = options.log ?? createLog({ name: 'train', level: 'warn' });
  const stop = options.signal ?? new AbortController().signal;
  const signal = AbortSignal.any([stop, options.lost]);
  const start = await findBeginning(options);
  const parent = start?.model;
  const settings = start === undefined ? options.settings : { ...options.settings, initial_state: start.statePath };
  const { isRankGiven } = options;
  const real = createRecordMethod(options.method, settings);
  const method = options.replace?.method?.(real) ?? real;
  const scope = { store, tenantId, runId, incarnationId: runId, ids: createIdSource() };
  const checkpoints = openCheckpointList(scope);
  const ledger = openStepLedger(scope);
  const directory = runPath(home, run);
  const journal = watchJournal(openJournal(join(directory, 'tinker-journal.jsonl')));

  onProgress({ phase: 'connect', detail: 'connecting to the engine', step: 0, totalSteps: 0 });
  const service = await createTinkerClient({
    ...tinker,
    journalFile: journal.file,
    onEvent: (event) => log.debug({ event }, 'engine'),
  }).connect({ signal });
  const baseModel = parent?.baseModel ?? chooseBaseModel(settings.base_model, service.models);
  const engine: TrainingEngine<TrainingClient> = createTinkerEngine({
    service,
    baseModel,
    // Where nobody said a rank, that of the state holds.
    lora: { rank: settings.initial_state === null || isRankGiven ? settings.lora_rank : undefined },
    seed: settings.seed,
    initialState: settings.initial_state ?? undefined,
  });
  let leavesModels = true;
  try {
    const tokenizer = await findTokenizer(settings.tokenizer ?? baseModel);
    const rows = await readExamples({ ...options, method, settings, tokenizer, blobs, onProgress });
    await memory.checkRows(rows.examples);
    const order = orderRows({
      count: rows.examples.length,
      batchSize: settings.batch_size,
      epochs: settings.epochs,
      maxSteps: settings.max_steps,
      seed: settings.seed,
    });
    await options.registered.setTotalSteps(order.totalSteps);
    const final = (await checkpoints.list()).find(({ isFinal }) => isFinal);
    if (final === undefined) {
      const { all: sink } = await openSinks({
        directory,
        store,
        tenantId,
        runId,
        log,
        useTensorboard: settings.use_tensorboard,
        wandb: toWandb(options, settings),
      });
      try {
        const trained = await trainRecords({
          method,
          settings,
          examples: rows.examples,
          measured: rows.measured,
          order,
          datasetId: dataset.dataset_id,
          datasetDigest: dataset.content_digest,
          engine: engine satisfies TrainingEngine,
          journal,
          ledger,
          checkpoints,
          retention: createCheckpointRetention({
            checkpoints,
            ledger,
            engine,
            keep: settings.keep_checkpoints,
            earlier: [],
            log,
          }),
          reference: createReferenceCache({ store, blobs, tenantId }),
          sink,
          clock: realClock,
          wallClock: Date.now,
          log,
          signal,
          onProgress,
          saveMetrics: memory.saveMetrics,
        });
        if (options.lost.aborted) throw options.lost.reason;
        if (trained.state === 'stopped') {
          leavesModels = false;
          await notePolicy(options, { step: trained.step, weightsPath: trained.saved?.weightsPath ?? null });
          return {
            ...describe(options, { baseModel, rows, totalSteps: order.totalSteps }),
            state: 'stopped',
            weightsPath: trained.saved?.weightsPath ?? null,
            statePath: trained.saved?.statePath ?? null,
            steps: trained.step,
            metrics: trained.metrics,
          };
        }
      } finally {
        await sink.close();
      }
    }
    const result = await finish(options, {
      settings,
      parent,
      baseModel,
      rows,
      totalSteps: order.totalSteps,
      checkpoints,
    });
    leavesModels = false;
    onProgress({
      phase: 'done',
      detail: `${result.model} is registered`,
      step: result.steps,
      totalSteps: result.totalSteps,
      metrics: result.metrics,
    });
    return result;
  } finally {
    // What ended by a failure is found again by the next process; what was saved is needed no more.
    await engine
      .close({ leavesModels })
      .catch((error: unknown) => log.warn({ err: error }, 'the session with the engine did not end well'));
  }
}

/** Registers the last weights. If we die in here, the next process finds the final checkpoint and does it again: the same version. */
async function finish(
  options: TrainOptions,
  trained: {
    settings: RecordTrainingSettings;
    parent: ModelVersion | undefined;
    baseModel: string;
    rows: ReadExamples;
    totalSteps: number;
    checkpoints: ReturnType<typeof openCheckpointList>;
  },
): Promise<RecordTrainingResult> {
  const { store, tenantId, run, dataset, memory, method } = options;
  const { settings, parent, baseModel } = trained;
  const final = (await trained.checkpoints.list()).find(({ isFinal }) => isFinal);
  if (final?.weightsPath === undefined || final.weightsPath === null) {
    throw refuse(`The last weights of the run ${run} are not in the store; start it again.`);
  }
  await notePolicy(options, final);
  const metrics = await memory.readMetrics();
  const version = await registerModel({
    store,
    tenantId,
    // A state that is only begun with gives no name: the result may be for something else.
    name: settings.model_name ?? (settings.parent === null ? undefined : parent?.name) ?? run,
    baseModel,
    method,
    weightsPath: final.weightsPath,
    statePath: final.statePath,
    run,
    step: final.step,
    parent: parent?.modelVersionId ?? null,
    dataset: { name: dataset.name, version: dataset.version, digest: dataset.content_digest },
    config: { ...settings, metrics },
  });
  const result: RecordTrainingResult = {
    ...describe(options, trained),
    state: 'finished',
    modelVersionId: version.modelVersionId,
    model: `${version.name}@${version.version}`,
    weightsPath: final.weightsPath,
    statePath: final.statePath,
    steps: final.step,
    metrics,
  };
  await memory.saveResult(result);
  return result;
}

/** What it has learned so far, where the weights of every run are looked for. */
async function notePolicy(
  { store, tenantId, runId }: TrainOptions,
  { step, weightsPath }: { step: number; weightsPath: string | null },
): Promise<void> {
  if (weightsPath === null) return;
  await recordPolicy({ store, tenantId, runId, policy: { version: step, step, weightsPath } });
}

function describe(
  { run, runId, method, dataset }: TrainOptions,
  { baseModel, rows, totalSteps }: { baseModel: string; rows: ReadExamples; totalSteps: number },
): Omit<RecordTrainingResult, 'metrics' | 'state' | 'statePath' | 'steps' | 'weightsPath'> {
  return {
    run,
    runId,
    method,
    dataset: { name: dataset.name, version: dataset.version, digest: dataset.content_digest },
    modelVersionId: null,
    model: null,
    baseModel,
    totalSteps,
    skipped: rows.skipped,
  };
}

const refuse = (message: string): TrainerError => new TrainerError({ kind: 'settings', message });

const nameDataset = ({ name, version }: TrainOnRecordsOptions['dataset']): string =>
  version === undefined ? name : `${name}@${version}`;

async function needDataset(options: { store: Store; tenantId: string; ref: string }): Promise<DatasetVersion> {
  const { ref } = options;
  const dataset = await findDataset(options);
  if (dataset === undefined) {
    throw refuse(`There is no data set ${ref}. \`lachesis data sets list\` shows what there is.`);
  }
  if (dataset.is_held_out) {
    throw refuse(
      `The data set ${ref} is held out: it measures and is never trained on. Give it as eval_dataset instead.`,
    );
  }
  return dataset;
}

/** What `parent` or `initial_state` meant when the run began; a name may mean another version by now. */
async function findBeginning({ store, tenantId, settings, memory }: TrainOptions): Promise<FoundStart | undefined> {
  const given = settings.parent ?? settings.initial_state;
  if (given === null) return undefined;
  const ref = (await memory.readParent()) ?? given;
  const start = await needBeginning({ store, tenantId, ref }).catch(refuseStart);
  await memory.saveParent(start.model?.modelVersionId ?? start.statePath ?? ref);
  return start;
}

function refuseStart(error: unknown): never {
  if (!LachesisError.isInstance(error)) throw error;
  throw refuse(`There is nothing to go on from: ${error.message}. ${error.hint ?? ''}`.trimEnd());
}

function chooseBaseModel(given: string, models: readonly { name: string }[]): string {
  if (given !== 'engine') return given;
  const [first] = models;
  if (first === undefined) throw refuse('The engine does not say which models it has; name one with base_model.');
  return first.name;
}

function toWandb({ run }: TrainOptions, settings: RecordTrainingSettings): Parameters<typeof openSinks>[0]['wandb'] {
  const mode = process.env['WANDB_MODE'] ?? '';
  if (!settings.use_wandb || mode === 'disabled') return undefined;
  return {
    entity: process.env['WANDB_ENTITY'],
    project: settings.wandb_project ?? process.env['WANDB_PROJECT'] ?? 'lachesis',
    group: process.env['WANDB_RUN_GROUP'],
    name: run,
    mode: mode === 'online' || mode === 'offline' ? mode : 'auto',
    python: process.env['LACHESIS_WANDB_PYTHON'] ?? 'python3',
    config: settings,
  };
}

/** Holds the run for this process while it lives. Refused when another process trains it. */
async function holdRun(options: { store: Store; tenantId: string; runId: string; run: string }): Promise<RenewedLease> {
  const { store, tenantId, runId, run } = options;
  const processes = openSystemProcesses();
  // One process may ask twice: then the first part of its name differs.
  const holder = `${createIdSource().next()}@${processes.self()}`;
  const processOf = (name: string): string => name.slice(name.indexOf('@') + 1);
  const held = await holdLease({
    ...{ store, tenantId, kind: 'record-training', resource: runId, holder, seconds: LEASE_SECONDS },
    isGone: (other) => processes.isGone(processOf(other)),
  });
  if ('heldBy' in held) {
    throw refuse(`The run ${run} is being trained by ${processOf(held.heldBy)}. Wait for it, or take another name.`);
  }
  return held;
}
