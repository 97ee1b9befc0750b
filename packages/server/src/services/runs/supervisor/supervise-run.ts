import { RUN_ROLES, type FinalRunState, type RunRole } from '@lachesis/protocol';
import {
  listRunProcesses,
  noteRunEvent,
  transitionRun,
  type RunProcessRecord,
  type TrainingRun,
} from '@lachesis/store';
import { endProcesses } from './end-processes.ts';
import type { HeldRun } from './held-run.ts';
import { superviseProcess, type SupervisionResult } from './supervise-process.ts';
import { endIdentities } from './process-identity.ts';
import type { RunPlan, TrainerReport } from './run-plan.ts';
import type { SupervisorDeps } from './deps.ts';

export interface SuperviseOptions {
  deps: SupervisorDeps;
  held: HeldRun;
  run: TrainingRun;
  /** The database's clock. */
  now: number;
}

/** `again`: something changed, look at once. `lost`: the run is somebody else's. */
export type Tick = 'again' | 'ended' | 'later' | 'lost';

const LOOK_EVERY_MS = 1_000;
const ASK_MS = 5_000;

/** One tick of one run: whatever its state asks for next is done. A LeaseLostError when the run is somebody else's by then. */
export async function superviseRun(options: SuperviseOptions): Promise<Tick> {
  const { run } = options;
  switch (run.state) {
    case 'pending':
      return run.stopRequestedAt === null
        ? await move(options, 'starting')
        : await end(options, 'stopped', `${whyStopped(run)}, before it started`);
    case 'starting':
      return run.stopRequestedAt === null ? await bringUp(options) : await end(options, 'stopped', whyStopped(run));
    case 'running':
      return run.stopRequestedAt === null
        ? await superviseAll(options)
        : await end(options, 'stopped', whyStopped(run));
    case 'stopping':
      return await bringDown(options);
    case 'stopped':
    case 'completed':
    case 'failed':
      return 'ended';
  }
}

const whyStopped = ({ reason }: TrainingRun): string => (reason === null ? 'was stopped' : `was stopped: ${reason}`);

const REASONS = Object.freeze({
  starting: 'its processes are being started',
  running: 'all its processes answer',
});

async function move({ deps, held, run }: SuperviseOptions, to: 'running' | 'starting'): Promise<Tick> {
  const { store } = deps;
  return (await transitionRun({ store, lease: held.lease, from: run.state, to, reason: REASONS[to] }))
    ? 'again'
    : 'later';
}

async function end({ deps, held, run }: SuperviseOptions, outcome: FinalRunState, reason: string): Promise<Tick> {
  const { store } = deps;
  const told = { from: run.state, to: 'stopping', outcome, reason } as const;
  return (await transitionRun({ store, lease: held.lease, ...told })) ? 'again' : 'later';
}

async function bringUp(options: SuperviseOptions): Promise<Tick> {
  const { deps, held, run } = options;
  const processes = await listRunProcesses({ store: deps.store, tenantId: run.tenantId, runId: run.runId });
  // Whose first process was started has passed the check before; a restarted server does not make it wait again.
  const isUnderWay = processes.some(({ state }) => state !== 'waiting');
  if (!isUnderWay) {
    const verdict = checkFirst(options);
    if (verdict === undefined) return 'later';
    if (!verdict.passed) return await end(options, 'failed', verdict.reason);
    if (held.preflight?.isNoted === false) {
      held.preflight.isNoted = true;
      const told = { kind: 'preflight-passed', data: {} };
      await noteRunEvent({ store: deps.store, lease: held.lease, ...told });
    }
  }
  const plan = await planOf(options, processes);
  for (const role of rolesOf(processes)) {
    const result = await superviseRole(options, plan, processes, role);
    if (result.kind === 'failed') return await end(options, 'failed', result.reason);
    if (result.kind === 'lost') return 'lost';
    if (result.kind === 'waiting') return 'later';
  }
  return await move(options, 'running');
}

/** The check may ask servers and load models: it goes on beside the ticks. */
function checkFirst({
  deps,
  held,
  run,
}: SuperviseOptions): { passed: true } | { passed: false; reason: string } | undefined {
  if (held.preflight === undefined) {
    const check: NonNullable<HeldRun['preflight']> = { isNoted: false };
    held.preflight = check;
    void deps.preflight(run, held.gone.signal).then(
      (result) => (check.result = result),
      (error: unknown) => {
        const what = error instanceof Error ? error.message : String(error);
        check.result = { passed: false, reason: `the check before the start broke: ${what}` };
      },
    );
  }
  return held.preflight.result;
}

async function superviseAll(options: SuperviseOptions): Promise<Tick> {
  const { deps, run } = options;
  const processes = await listRunProcesses({ store: deps.store, tenantId: run.tenantId, runId: run.runId });
  const plan = await planOf(options, processes);
  const report = await lookAtTrainer(options, plan);
  if (report?.state === 'finished') return await end(options, 'completed', `finished at step ${report.step}`);
  if (report?.state === 'failed') return await end(options, 'failed', `the trainer failed: ${report.detail}`);
  if (plan.statusUrl === undefined && processes.every(({ state }) => state === 'ended'))
    return await end(options, 'completed', 'finished: its process has done its work');
  for (const role of rolesOf(processes)) {
    const result = await superviseRole(options, plan, processes, role);
    if (result.kind === 'failed') return await end(options, 'failed', result.reason);
    if (result.kind === 'lost') return 'lost';
  }
  return await judgeIdle(options, processes, report);
}

/** An environment that has nothing more to do leaves the trainer waiting for ever. */
async function judgeIdle(
  options: SuperviseOptions,
  processes: readonly RunProcessRecord[],
  report: TrainerReport | undefined,
): Promise<Tick> {
  const { deps, held } = options;
  if (report === undefined) return 'later';
  const environment = processes.find(({ role }) => role === 'env');
  const isIdle = environment?.state === 'ended' && report.state === 'waiting';
  held.idleSince = isIdle ? (held.idleSince ?? deps.monotonic()) : undefined;
  if (held.idleSince === undefined || deps.monotonic() - held.idleSince < deps.times.idleMs) return 'later';
  return await end(
    options,
    'failed',
    `the environment has ended at step ${report.step} and the trainer waits for more; see ${environment?.logPath}`,
  );
}

async function bringDown(options: SuperviseOptions): Promise<Tick> {
  const { deps, held, run } = options;
  const processes = await listRunProcesses({ store: deps.store, tenantId: run.tenantId, runId: run.runId });
  const result = await endProcesses({ deps, held, run, processes });
  if (result !== 'done') return result === 'lost' ? 'lost' : 'later';
  // Also those by which control servers asked its stations.
  await endIdentities({ held, run });
  const told = { from: 'stopping', to: run.outcome ?? 'stopped', reason: run.reason ?? 'was stopped' } as const;
  return (await transitionRun({ store: deps.store, lease: held.lease, ...told })) ? 'ended' : 'later';
}

async function superviseRole(
  { deps, held, run, now }: SuperviseOptions,
  plan: RunPlan,
  processes: readonly RunProcessRecord[],
  role: RunRole,
): Promise<SupervisionResult> {
  const process = processes.find((candidate) => candidate.role === role);
  const planned = plan.processes[role];
  if (process === undefined || planned === undefined) {
    throw new Error(`Run ${run.shortId} has no ${process === undefined ? 'row' : 'plan'} for its ${role}.`);
  }
  return await superviseProcess({ deps, held, run, process, plan: planned, now });
}

const rolesOf = (processes: readonly RunProcessRecord[]): RunRole[] =>
  RUN_ROLES.filter((role) => processes.some((process) => process.role === role));

async function planOf({ deps, run }: SuperviseOptions, processes: readonly RunProcessRecord[]): Promise<RunPlan> {
  const portOf = (role: RunRole): number | null => processes.find((process) => process.role === role)?.port ?? null;
  return await deps.plan(run, { api: portOf('api'), trainer: portOf('trainer'), env: portOf('env') });
}

/** Undefined when it was asked a moment ago, or does not answer: a trainer that is being started again does not. */
async function lookAtTrainer(
  { deps, held }: SuperviseOptions,
  { statusUrl }: RunPlan,
): Promise<TrainerReport | undefined> {
  const now = deps.monotonic();
  if (statusUrl === undefined) return undefined;
  if (now - held.lookedAt < LOOK_EVERY_MS) return undefined;
  held.lookedAt = now;
  try {
    const signal = AbortSignal.any([held.gone.signal, AbortSignal.timeout(ASK_MS)]);
    const reply = await deps.fetch(statusUrl, { signal });
    if (reply.ok) return (await reply.json()) as TrainerReport;
    await reply.arrayBuffer();
    return undefined;
  } catch {
    // Whether it lives is asked of the system, not of its port.
    return undefined;
  }
}
