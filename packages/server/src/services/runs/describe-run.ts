import { isFinalRunState, RUN_ROLES, type RunRole, type RunStatus, type RunSummary } from '@lachesis/protocol';
import {
  findRun,
  readLatestPolicy,
  readMetricEnds,
  type MetricPoint,
  type RunProcessRecord,
  type Store,
  type TrainingRun,
} from '@lachesis/store';
import { readWandbPlace } from '../training/sinks/wandb-place.ts';
import { readRunDetails } from './details.ts';
import { readRunEnvironments } from './environments-of-run.ts';

export function summarizeRun(run: TrainingRun): RunSummary {
  const { wandbRunName, forkOf } = readRunDetails(run.details);
  return {
    run_id: run.shortId,
    kind: run.kind,
    environment: run.environment,
    ...describeMix(run),
    status: run.state,
    reason: run.reason,
    wandb_run_name: wandbRunName,
    fork_of: forkOf,
    created_at: run.createdAt,
    started_at: run.startedAt,
    ended_at: run.endedAt,
  };
}

/** Where there are several, each with its weight. */
function describeMix(run: TrainingRun): Pick<RunSummary, 'environments'> {
  const environments = readRunEnvironments(run);
  if (environments.length === 1) return {};
  return { environments: environments.map(({ name, weight }) => ({ name, weight })) };
}

export const logsOf = (processes: readonly RunProcessRecord[]): RunStatus['logs'] =>
  byRole(processes, ({ logPath }) => logPath);

function byRole<T>(
  processes: readonly RunProcessRecord[],
  read: (process: RunProcessRecord) => T,
): Record<RunRole, T | ''> {
  const of = (role: RunRole): T | '' => {
    const process = processes.find((candidate) => candidate.role === role);
    return process === undefined ? '' : read(process);
  };
  return { api: of('api'), trainer: of('trainer'), env: of('env') };
}

/** Everything `GET /runs/{id}` tells. */
export async function describeRun(options: {
  store: Store;
  run: TrainingRun;
  processes: readonly RunProcessRecord[];
  /** Milliseconds, by the database's clock. */
  now: number;
}): Promise<RunStatus> {
  const { store, run, processes, now } = options;
  const details = readRunDetails(run.details);
  const [{ ends, weightsPath }, wandb] = await Promise.all([
    readProgress({ store, run }),
    readWandbPlace(details.directory),
  ]);
  const port = processes.find(({ role }) => role === 'trainer')?.port ?? null;
  const metrics = toStatusMetrics(run, ends);
  return {
    ...summarizeRun(run),
    running_time_minutes: runningMinutes(run, now),
    processes: byRole(processes, ({ state }) => state),
    process_details: RUN_ROLES.flatMap((role) => processes.filter((process) => process.role === role)).map(
      ({ role, state, pid, port: own, restarts, logPath, reason }) => ({
        ...{ role, state, pid, port: own, restarts, reason, log: logPath },
      }),
    ),
    logs: logsOf(processes),
    metrics,
    ...(run.state === 'failed' ? { error: run.reason ?? 'it failed and left no reason' } : {}),
    total_steps: details.totalSteps === 0 ? null : details.totalSteps,
    inference_url: port === null || isFinalRunState(run.state) ? null : `http://127.0.0.1:${port}/v1`,
    weights_path: weightsPath,
    config_path: details.configPath,
    metrics_url: wandb?.url ?? null,
    wandb_entity: wandb?.entity ?? null,
    wandb_project: wandb?.project ?? details.wandbProject,
    estimated_seconds:
      details.estimate?.seconds ?? readPace({ run, now, step: metrics.step, total: details.totalSteps }),
    changed_at: run.changedAt,
  };
}

/** What the loop has noted under the run's name, for the tenant who started it. */
export async function findLoopRun(options: {
  store: Store;
  run: TrainingRun;
}): Promise<{ tenantId: string; runId: string } | undefined> {
  return await findRun({ store: options.store, tenantId: options.run.tenantId, name: options.run.shortId });
}

export async function readProgress(options: {
  store: Store;
  run: TrainingRun;
}): Promise<{ ends: MetricPoint[]; weightsPath: string | null }> {
  const { store } = options;
  const loop = await findLoopRun(options);
  if (loop === undefined) return { ends: [], weightsPath: null };
  const scope = { store, tenantId: loop.tenantId, runId: loop.runId };
  const [ends, policy] = await Promise.all([readMetricEnds(scope), readLatestPolicy(scope)]);
  return { ends, weightsPath: policy?.weightsPath ?? null };
}

/** Of several the first that is as new as any: the reward of all rollouts comes from environments, a moment later. */
const STATUS_SERIES = Object.freeze({
  reward_mean: ['train/mean_reward', 'reward/mean'],
  loss: ['train/loss'],
  percent_correct: ['train/percent_correct'],
  eval_percent_correct: ['eval/percent_correct'],
});

/** One of them is written by the trainer at every step; environments, which are a step ahead at times, write none. */
export const STEP_SERIES: ReadonlySet<string> = new Set(['time/step', 'reward/mean', 'train/loss']);

function toStatusMetrics(run: TrainingRun, ends: readonly MetricPoint[]): RunStatus['metrics'] {
  const values = Object.entries(STATUS_SERIES).flatMap(([key, names]) => {
    const found = names.flatMap((name) => ends.find(({ series }) => series === name) ?? []);
    const newest = Math.max(...found.map(({ step }) => step));
    const end = found.find(({ step }) => step === newest);
    return end === undefined ? [] : [[key, end.value] as const];
  });
  return {
    // A step with nothing to learn from has no loss, and is a step.
    step: Math.max(0, ...ends.flatMap(({ series, step }) => (STEP_SERIES.has(series) ? step : []))),
    state: run.state === 'failed' ? 'crashed' : isFinalRunState(run.state) ? 'finished' : 'running',
    ...Object.fromEntries(values),
  };
}

/** Seconds of the whole run at the pace of its own steps; null before the first of them. */
function readPace(options: { run: TrainingRun; now: number; step: number; total: number }): number | null {
  const { run, now, step, total } = options;
  if (run.startedAt === null || step === 0 || total === 0) return null;
  return Math.round(((((run.endedAt ?? now) - run.startedAt) / step) * total) / 1000);
}

function runningMinutes(run: TrainingRun, now: number): number {
  const ms = Math.max(0, (run.endedAt ?? now) - (run.startedAt ?? run.createdAt));
  return Math.round(ms / 600) / 100;
}
