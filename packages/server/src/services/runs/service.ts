import {
  isFinalRunState,
  LachesisError,
  type IdSource,
  type RunRequest,
  type RunRole,
  type RunState,
} from '@lachesis/protocol';
import {
  createTrainingRun,
  findTrainingRun,
  listRunProcesses,
  listOpenRuns,
  listTrainingRuns,
  reopenTrainingRun,
  requestRunStop,
  type JsonValue,
  type RunProcessRecord,
  type Store,
  type TrainingRun,
} from '@lachesis/store';
import { toRunConfig, type ResolvedRun } from './config/configurator.ts';
import type { RunDetails } from './details.ts';

/** Where a run keeps its files, and the ports it is given. */
export interface RunPlaces {
  details: RunDetails;
  logs: Readonly<Record<'api' | 'env' | 'trainer', string>>;
}

export interface RunServiceOptions {
  store: Store;
  ids: IdSource;
  /** Eight letters and digits. */
  nextShortId: () => string;
  resolve: (tenantId: string, request: RunRequest) => Promise<ResolvedRun>;
  /** Names its files; writes nothing. */
  place: (shortId: string, resolved: ResolvedRun) => RunPlaces;
  /** Before the run exists: whether there is an engine at all, and which ports are free. */
  prepare: (resolved: ResolvedRun) => Promise<{ api: number; trainer: number }>;
  /** Ports that are free, for the processes of a run that goes on. */
  findPorts: (run: TrainingRun) => Promise<Readonly<Partial<Record<RunRole, number>>>>;
  /** Writes the files of a run that was just created, so that whoever is told of them finds them. */
  writeFiles: (run: TrainingRun, ports: { api: number; trainer: number }) => Promise<void>;
  /** Most runs of one tenant that have not ended. */
  maxOpenRuns: number;
  /** Told when a supervisor has something to do. */
  wake: () => void;
}

export interface RunService {
  /** Writes the run and returns at once; its supervisor does the rest. */
  create(tenantId: string, request: RunRequest): Promise<TrainingRun>;
  list(options: {
    tenantId: string;
    state?: RunState | undefined;
    environment?: string | undefined;
    before?: string | undefined;
    limit?: number | undefined;
  }): Promise<{ runs: TrainingRun[]; next: string | null }>;
  /** Throws `not-found`. */
  find(tenantId: string, shortId: string): Promise<TrainingRun>;
  processes(run: TrainingRun): Promise<RunProcessRecord[]>;
  /** Lets a run that has ended go on from what it saved. One that goes on already is left alone. */
  resume(tenantId: string, shortId: string): Promise<TrainingRun>;
  /** Asks for the end; the answer is where the run stands now. Asking twice is asking once. */
  stop(tenantId: string, shortId: string, reason: string): Promise<TrainingRun>;
}

function refuseOfImprovement({ kind, shortId }: TrainingRun): void {
  if (kind !== 'improve') return;
  throw new LachesisError({
    code: 'conflict',
    message: `run ${shortId} was trained by an improvement, which goes on as a whole`,
    hint: '`lachesis improve status` shows which; `lachesis improve resume` goes on with it.',
  });
}

const DEFAULT_LIMIT = 100;
/** Runs take hours; who asks every minute is early enough. */
const RUN_RETRY_SECONDS = 60;

export function createRunService(options: RunServiceOptions): RunService {
  const { store, ids } = options;
  let creating: Promise<unknown> = Promise.resolve();
  const service: RunService = {
    create(tenantId, request) {
      // One after another: two that looked for free ports at once would find the same.
      const created = creating.then(() => create(tenantId, request));
      creating = created.catch(() => undefined);
      return created;
    },
    async list({ tenantId, state, environment, before, limit = DEFAULT_LIMIT }) {
      const beforeRunId = before === undefined ? undefined : (await service.find(tenantId, before)).runId;
      const found = await listTrainingRuns({ store, tenantId, state, environment, beforeRunId, limit: limit + 1 });
      const runs = found.slice(0, limit);
      return { runs, next: found.length > limit ? (runs.at(-1)?.shortId ?? null) : null };
    },
    async find(tenantId, shortId) {
      const run = await findTrainingRun({ store, tenantId, shortId });
      if (run !== undefined) return run;
      throw new LachesisError({
        code: 'not-found',
        message: `there is no run ${JSON.stringify(shortId.slice(0, 100))}`,
        hint: 'GET /runs lists them all, those that have ended too.',
      });
    },
    processes: ({ tenantId, runId }) => listRunProcesses({ store, tenantId, runId }),
    async resume(tenantId, shortId) {
      const run = await service.find(tenantId, shortId);
      if (!isFinalRunState(run.state)) return run;
      await refuseTooMany(tenantId);
      refuseOfImprovement(run);
      const ports = await options.findPorts(run);
      await reopenTrainingRun({ store, tenantId, runId: run.runId, ports });
      options.wake();
      return await service.find(tenantId, shortId);
    },
    async stop(tenantId, shortId, reason) {
      const { runId } = await service.find(tenantId, shortId);
      await requestRunStop({ store, tenantId, runId, reason });
      options.wake();
      return await service.find(tenantId, shortId);
    },
  };
  return service;

  async function create(tenantId: string, request: RunRequest): Promise<TrainingRun> {
    const key = request.idempotency_key;
    const earlier = key === undefined ? undefined : await findTrainingRun({ store, tenantId, idempotencyKey: key });
    if (earlier !== undefined) return earlier;
    await refuseTooMany(tenantId);
    // Refused where it is nobody's: what it names is shown as the run it came from.
    const forkOf = request.fork_of === undefined ? null : (await service.find(tenantId, request.fork_of)).shortId;
    const resolved = await options.resolve(tenantId, request);
    const ports = await options.prepare(resolved);
    const run = await createTrainingRun({
      ...{ store, ids, tenantId, environment: resolved.environment, idempotencyKey: key },
      config: toRunConfig(resolved),
      nextShortId: options.nextShortId,
      details: (shortId) => ({ ...options.place(shortId, resolved).details, forkOf }) as unknown as JsonValue,
      processes: (shortId) => {
        const { logs } = options.place(shortId, resolved);
        return {
          api: { logPath: logs.api, port: ports.api },
          trainer: { logPath: logs.trainer, port: ports.trainer },
          env: { logPath: logs.env, port: null },
        };
      },
    });
    // If we die here, the supervisor writes them before it starts the first process.
    await options.writeFiles(run, ports);
    options.wake();
    return run;
  }

  async function refuseTooMany(tenantId: string): Promise<void> {
    const open = (await listOpenRuns({ store })).filter((run) => run.tenantId === tenantId);
    if (open.length < options.maxOpenRuns) return;
    throw new LachesisError({
      code: 'back-pressure',
      message: `${open.length} runs of this tenant have not ended, and more are not started`,
      hint: 'Stop one with POST /runs/{id}/stop, or wait. LACHESIS_OPEN_RUNS of the server sets how many there may be.',
      retryAfterSeconds: RUN_RETRY_SECONDS,
    });
  }
}
