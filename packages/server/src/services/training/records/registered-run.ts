import { createIdSource, isFinalRunState, type FinalRunState, type RunKind } from '@lachesis/protocol';
import { homePaths, runPath } from '@lachesis/protocol/home';
import { writeConfigYaml } from '@lachesis/sdk/config';
import {
  acquireRunLease,
  autoRenew,
  createTrainingRun,
  findTrainingRun,
  listRunProcesses,
  reopenTrainingRun,
  transitionRun,
  writeRunProcess,
  type JsonValue,
  type Store,
  type TrainingRun,
} from '@lachesis/store';
import { appendFileSync, mkdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunDetails } from '../../runs/details.ts';
import { withoutCredentials } from '../../runs/engine-address.ts';
import type { ProcessTable } from '../../runs/supervisor/process-table.ts';
import { readTagOf } from '../../runs/supervisor/process-tag.ts';

export interface RegisterRunOptions {
  store: Store;
  table: ProcessTable;
  home: string;
  tenantId: string;
  /** Its name. */
  run: string;
  kind: RunKind;
  /** What it learns from, as `name@version`. */
  dataset: string;
  /** Words of the command that trains it, without its home, name and settings. */
  command: readonly string[];
  /** What was given, and what came of it. */
  given: object;
  settings: object;
  engineUrl: string | undefined;
}

/** A training on records as a run among the others: listed, watched, stopped and taken up like them. */
export interface RegisteredRun {
  /** Aborted when somebody asks for its end. */
  readonly stop: AbortSignal;
  /** A line of its log. */
  write(line: string): void;
  setTotalSteps(totalSteps: number): Promise<void>;
  end(outcome: FinalRunState, reason: string): Promise<void>;
}

const LEASE_SECONDS = 15;
const LOOK_EVERY_MS = 1_000;

/** Writes the row and holds it for this process. A process that a supervisor started for the run leaves that to it. */
export async function registerRun(options: RegisterRunOptions): Promise<RegisteredRun> {
  const { store, table, tenantId } = options;
  const row = await openRow(options);
  if (readTagOf(process.env)?.runId === row.runId) return UNREGISTERED;
  const holder = `${createIdSource().next()}@${table.self()}`;
  const isGone = (other: string): boolean => table.isGone(other.slice(other.indexOf('@') + 1));
  const key = { store, tenantId, runId: row.runId };
  const acquired = await acquireRunLease({ ...key, holder, seconds: LEASE_SECONDS, isGone });
  // Somebody looks after it, and will see the end of it in what the training notes.
  if (acquired === undefined) return UNREGISTERED;
  const { lease } = acquired;
  const held = { store, lease };
  const renewed = autoRenew({ ...held, seconds: LEASE_SECONDS });
  if (acquired.run.state === 'pending')
    await transitionRun({ ...held, from: 'pending', to: 'starting', reason: 'it is being started' });
  const [process_] = await listRunProcesses(key);
  if (process_ === undefined) throw new Error(`Run ${row.shortId} has no row for its process.`);
  const own = {
    ...process_,
    ...({ state: 'running', instanceId: lease.holder, pid: process.pid, host: table.host() } as const),
    pidStarted: table.readStart(process.pid) ?? null,
  };
  await writeRunProcess({ ...held, process: own, event: { kind: 'process-ready', data: { pid: process.pid } } });
  await transitionRun({ ...held, from: 'starting', to: 'running', reason: 'it trains in the process that began it' });
  const stop = new AbortController();
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  mkdirSync(dirname(own.logPath), { recursive: true });

  async function look(): Promise<void> {
    const seen = await findTrainingRun(key).catch(() => undefined);
    if (seen !== undefined && seen.stopRequestedAt !== null) stop.abort(new Error(seen.reason ?? 'it was stopped'));
  }

  return {
    stop: stop.signal,
    write: (line) => appendFileSync(own.logPath, `${line}\n`, { mode: 0o600 }),
    async setTotalSteps(totalSteps) {
      const details = { ...(row.details as object), totalSteps } as JsonValue;
      await reopenTrainingRun({ ...key, details });
    },
    async end(outcome, reason) {
      clearInterval(timer);
      const gone = { instanceId: null, pid: null, pidStarted: null };
      const state = outcome === 'completed' ? 'ended' : 'stopped';
      await writeRunProcess({ ...held, process: { ...own, ...gone, state } });
      await transitionRun({ ...held, from: 'running', to: 'stopping', outcome, reason });
      await transitionRun({ ...held, from: 'stopping', to: outcome, reason });
      await renewed[Symbol.asyncDispose]();
    },
  };
}

/** What a run that somebody else looks after needs of us: nothing. */
const UNREGISTERED: RegisteredRun = {
  stop: new AbortController().signal,
  write: () => undefined,
  setTotalSteps: async () => undefined,
  end: async () => undefined,
};

async function openRow(options: RegisterRunOptions): Promise<TrainingRun> {
  const { store, table, home, tenantId, run, kind, dataset, engineUrl } = options;
  const directory = runPath(home, run);
  const configPath = join(directory, `run_${run}.yaml`);
  await mkdir(directory, { recursive: true });
  await writeFile(configPath, writeConfigYaml({ values: options.given, origins: {}, secrets: new Set() }), {
    mode: 0o600,
  });
  const details: RunDetails = {
    ...{ directory, configPath, environmentConfigPath: '', totalSteps: 0, wandbProject: null, wandbRunName: null },
    ...{
      workingDirectory: process.cwd(),
      estimate: null,
      environmentArguments: [],
      starter: table.self(),
      forkOf: null,
    },
    engineUrl: engineUrl === undefined ? null : withoutCredentials(engineUrl),
    command: [...options.command, '--run', run, '--home', home, '--config', configPath],
  };
  const values = options.settings as unknown as Record<string, JsonValue>;
  const config = { values, recipe: { env: {}, openai: [], tinker: values }, environmentFile: {} };
  const stored = details as unknown as JsonValue;
  const earlier = await findTrainingRun({ store, tenantId, shortId: run });
  if (earlier !== undefined && isFinalRunState(earlier.state))
    await reopenTrainingRun({ store, tenantId, runId: earlier.runId, config, details: stored });
  return (
    (await findTrainingRun({ store, tenantId, shortId: run })) ??
    (await createTrainingRun({
      ...{ store, tenantId, environment: dataset, kind, config, nextShortId: () => run, details: () => stored },
      processes: () => ({ trainer: { logPath: join(homePaths(home).logs, `trainer_${run}.log`), port: null } }),
    }))
  );
}
