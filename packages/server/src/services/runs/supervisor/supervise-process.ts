import type { RunRole } from '@lachesis/protocol';
import { writeRunProcess, type RunProcessRecord, type TrainingRun } from '@lachesis/store';
import { REFUSED_EXIT_CODE } from '../../../http/settings/setting-error.ts';
import { decideRestart } from './decide-restart.ts';
import { isStillHeld, type HeldRun } from './held-run.ts';
import { endIdentities, mintIdentity, renewIdentity } from './process-identity.ts';
import { readLogTail, rotateBeforeStart } from './log-files.ts';
import { isAlive, type ProcessTable, type SpawnOptions } from './process-table.ts';
import { toTagVariables } from './process-tag.ts';
import type { ProcessPlan } from './run-plan.ts';
import type { SupervisorDeps } from './deps.ts';

export interface SuperviseProcessOptions {
  deps: SupervisorDeps;
  held: HeldRun;
  run: TrainingRun;
  process: RunProcessRecord;
  plan: ProcessPlan;
  /** The database's clock. */
  now: number;
}

/** `waiting`: look again later. `lost`: the run is somebody else's. */
export type SupervisionResult = { kind: 'failed'; reason: string } | { kind: 'lost' | 'ready' | 'waiting' };

const WAITING = Object.freeze({ kind: 'waiting' } as const);
const LOST = Object.freeze({ kind: 'lost' } as const);
const READY = Object.freeze({ kind: 'ready' } as const);

/** Lines of the log that go with a failure. */
const SHOWN_LINES = 12;
const ASK_MS = 2_000;
/** How long the system may take to say how a process of ours ended; that it is gone can be seen before. */
const TOLD_MS = 2_000;

export const ROLE_NAMES: Readonly<Record<RunRole, string>> = Object.freeze({
  api: 'trajectory API',
  trainer: 'trainer',
  env: 'environment',
});

/** One look at one process: whatever is to be done next for it is done. */
export async function superviseProcess(options: SuperviseProcessOptions): Promise<SupervisionResult> {
  const { deps, process } = options;
  if (process.state === 'ended') return READY;
  if (isAlive(deps.table, process)) {
    await renewIdentity({
      ...options,
      role: process.role,
      identity: options.plan.identity,
      instanceId: process.instanceId,
    });
    return process.state === 'running' ? READY : await awaitReady(options);
  }
  if (process.pid !== null) return await noteDeath(options);
  if (process.instanceId !== null) return await adopt(options);
  if (process.startAfter !== null && process.startAfter > options.now) return WAITING;
  return await start(options);
}

async function write(
  { deps: { store }, held }: SuperviseProcessOptions,
  process: RunProcessRecord,
  event?: { kind: string; data: Record<string, number | string | null> },
): Promise<boolean> {
  const told = event === undefined ? {} : { event: { kind: event.kind, data: { role: process.role, ...event.data } } };
  return await isStillHeld(writeRunProcess({ store, lease: held.lease, process, ...told }));
}

/** If we die between the two, the token ends with the next start of the process, with the run, or by itself. */
async function writeEnd(...given: Parameters<typeof write>): Promise<boolean> {
  const [{ held, run }, { role }] = given;
  if (!(await write(...given))) return false;
  await endIdentities({ held, run, role });
  return true;
}

async function start(options: SuperviseProcessOptions): Promise<SupervisionResult> {
  const { deps, held, run, process, plan } = options;
  const { table, ids, library } = deps;
  const { tenantId, runId, shortId } = run;
  // What an earlier start left behind would be a second one of its kind: it holds the port, and answers in its place.
  if (await endLeftovers(options)) return WAITING;
  await rotateBeforeStart(process.logPath);

  const instanceId = ids.next();
  const starting: RunProcessRecord = {
    ...process,
    ...{ state: 'starting', instanceId, pid: null, pidStarted: null, host: table.host() },
  };
  // If we die behind this line, who comes next looks for a process with this id, finds none, and starts one.
  if (!(await write(options, starting))) return LOST;
  const { tokenId, variables } = await mintIdentity({
    deps,
    held,
    run,
    role: process.role,
    identity: plan.identity,
    instanceId,
  });
  held.tokenRenewedAt.set(instanceId, deps.monotonic());
  const onExit: SpawnOptions['onExit'] = ({ code, signal, error }) =>
    held.ends.set(instanceId, { code, text: error ?? signal ?? `exit code ${code}` });
  held.ends.set(instanceId, undefined);
  const pid = trySpawn(table, {
    ...{ file: plan.file, arguments: plan.arguments, logPath: process.logPath, onExit },
    workingDirectory: plan.workingDirectory,
    env: {
      ...plan.env,
      ...variables,
      ...toTagVariables({ library, tenantId, runId, role: process.role, instanceId }, shortId),
    },
  });
  // If we die here, it is found by that id and adopted.
  const pidStarted = pid === undefined ? undefined : table.readStart(pid);
  const started: RunProcessRecord = { ...starting, pid: pid ?? null, pidStarted: pidStarted ?? null };
  if (pid === undefined) {
    // The system refused, and says why a moment later.
    await new Promise((resolve) => setImmediate(resolve));
    return await noteDeath({ ...options, process: started });
  }
  if (
    await write(options, started, {
      kind: 'process-started',
      data: { pid, instance_id: instanceId, token_id: tokenId },
    })
  )
    return WAITING;
  table.signal(pid, 'SIGKILL', 'group');
  return LOST;
}

/** Undefined when it could not be started; why is told to `onExit`. */
function trySpawn(table: ProcessTable, options: SpawnOptions): number | undefined {
  try {
    return table.spawn(options).pid;
  } catch (error) {
    options.onExit({ code: null, signal: null, error: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}

/** True when something had to be ended: then it is looked at again before anything is started. */
async function endLeftovers({ deps, run, process }: SuperviseProcessOptions): Promise<boolean> {
  const { table, library } = deps;
  const left = (await table.list()).filter(
    ({ tag }) => tag.library === library && tag.runId === run.runId && tag.role === process.role,
  );
  for (const { pid, started } of left) {
    if (table.readStart(pid) === started) table.signal(pid, 'SIGKILL', 'process');
  }
  return left.length > 0;
}

/** A start was on its way when somebody died. */
async function adopt(options: SuperviseProcessOptions): Promise<SupervisionResult> {
  const { deps, process } = options;
  const found = (await deps.table.list()).find(
    ({ isLeader, tag }) => isLeader && tag.instanceId === process.instanceId && tag.library === deps.library,
  );
  if (found === undefined) {
    const again: RunProcessRecord = { ...process, state: 'waiting', instanceId: null };
    return (await write(options, again)) ? WAITING : LOST;
  }
  const adopted: RunProcessRecord = { ...process, pid: found.pid, pidStarted: found.started };
  return (await write(options, adopted, { kind: 'process-adopted', data: { pid: found.pid } })) ? WAITING : LOST;
}

async function awaitReady(options: SuperviseProcessOptions): Promise<SupervisionResult> {
  const { deps, held, process, plan } = options;
  const { monotonic, times } = deps;
  if (plan.readyUrl === undefined || (await isAnswering(deps, plan.readyUrl, held.gone.signal))) {
    const ready: RunProcessRecord = { ...process, state: 'running' };
    const told = { kind: 'process-ready', data: { pid: process.pid } };
    return (await write(options, ready, told)) ? READY : LOST;
  }
  const key = process.instanceId ?? process.role;
  const since = held.waitingSince.get(key) ?? monotonic();
  held.waitingSince.set(key, since);
  if (monotonic() - since < times.readyMs) return WAITING;
  const seconds = Math.round(times.readyMs / 1000);
  return await fail(options, `does not answer at ${plan.readyUrl} after ${seconds} s`);
}

async function noteDeath(options: SuperviseProcessOptions): Promise<SupervisionResult> {
  const { held, process, now } = options;
  if (isEndOnItsWay(options)) return WAITING;
  const end = process.instanceId === null ? undefined : held.ends.get(process.instanceId);
  const gone = { ...process, instanceId: null, pid: null, pidStarted: null, host: null };
  if (options.plan.mayEnd === true && end?.code === 0) {
    const ended: RunProcessRecord = { ...gone, state: 'ended', reason: 'it had nothing more to do' };
    return (await writeEnd(options, ended, { kind: 'process-ended', data: { pid: process.pid } })) ? READY : LOST;
  }
  const reason = end?.text ?? 'ended while nobody watched';
  const decision = decideRestart({ deaths: process.deaths, now, code: end?.code ?? null });
  const died = { kind: 'process-died', data: { pid: process.pid, reason } };
  if (decision.kind === 'give-up') {
    const dead: RunProcessRecord = { ...gone, state: 'dead', deaths: decision.deaths, reason };
    if (!(await writeEnd(options, dead, died))) return LOST;
    const what =
      end?.code === REFUSED_EXIT_CODE
        ? 'cannot start with what it was given'
        : `ended ${decision.deaths.length} times in 10 minutes (${reason})`;
    return await fail(options, what);
  }
  const { deaths, startAfter } = decision;
  const waiting: RunProcessRecord = {
    ...gone,
    state: 'dead',
    deaths,
    startAfter,
    reason,
    restarts: process.restarts + 1,
  };
  return (await writeEnd(options, waiting, died)) ? WAITING : LOST;
}

/** How it ended decides whether it is started again, so a process of ours is not judged before that is known. */
function isEndOnItsWay({ deps: { monotonic }, held, process: { instanceId } }: SuperviseProcessOptions): boolean {
  if (instanceId === null || !held.ends.has(instanceId) || held.ends.get(instanceId) !== undefined) return false;
  const key = `${instanceId} ended`;
  const since = held.waitingSince.get(key) ?? monotonic();
  held.waitingSince.set(key, since);
  return monotonic() - since < TOLD_MS;
}

async function fail({ process }: SuperviseProcessOptions, what: string): Promise<SupervisionResult> {
  const lines = await readLogTail(process.logPath, SHOWN_LINES);
  const shown = lines.length === 0 ? 'Its log is empty' : `Its last lines:\n${lines.join('\n')}\nThe rest`;
  return { kind: 'failed', reason: `the ${ROLE_NAMES[process.role]} ${what}. ${shown}: ${process.logPath}` };
}

async function isAnswering({ fetch }: SupervisorDeps, url: string, gone: AbortSignal): Promise<boolean> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.any([gone, AbortSignal.timeout(ASK_MS)]) });
    await reply.arrayBuffer();
    return reply.status < 500;
  } catch {
    // Not up yet is what we wait for; how long is bounded by the caller.
    return false;
  }
}
