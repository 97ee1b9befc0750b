import type { RunRequest, RunStart, RunStatus, RunStop } from '@lachesis/protocol';
import type { RunEventList } from '../../../../packages/protocol/src/control/run.ts';
import { findTrainingRun, openStore, readEventPage, type Store } from '@lachesis/store';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../../kit/find-free-port.ts';
import { startProcess, type RunningProcess, type StartProcessOptions } from '../../../kit/start-process.ts';
import { killAll } from '../judge/count-processes.ts';
import { HopelessError, waitUntil } from '../judge/wait-until.ts';
import type { SubjectOptions } from './control-process.ts';

/** A control server that can be killed and started again, on one home and one port. */
export interface Subject {
  readonly home: string;
  readonly databaseUrl: string | undefined;
  readonly process: RunningProcess;
  kill(): Promise<void>;
  restart(change?: Partial<SubjectOptions>): Promise<void>;
  startRun(): Promise<string>;
  look(run: string): Promise<RunStatus>;
  stopRun(run: string): Promise<RunStop>;
  history(run: string): Promise<RunEventList['events']>;
  /** Opens the rows beside the server; closed when the work with them is done. */
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
  /** The history as lines for a person, out of the rows. */
  readHistory(run: string): Promise<string[]>;
  /** Ends the server first, and then what is left of its runs: the other way round it would start them again. */
  close(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('./control-process.ts', import.meta.url));
/** From its sources, beside others, on a machine that others use too; what has to be quick is what comes after. */
const BOOT_MS = 90_000;
/** Of all servers of the suite: what one has compiled the next need not. */
export const COMPILED = fileURLToPath(new URL('../../../../node_modules/.cache/chaos-supervisor', import.meta.url));

/** The server with stations that stand in for the real ones. */
export async function startSubject(given: { home: string } & Partial<SubjectOptions>): Promise<Subject> {
  const options: SubjectOptions = {
    ...{ port: await findFreePort(), readyMs: 400, endMs: 300, leaseSeconds: 15, supervisor: 'real', isGated: false },
    ...given,
  };
  return await openSubject({
    ...{ home: options.home, databaseUrl: options.databaseUrl, port: options.port, request: {} },
    launch: (change) => ({
      name: 'control',
      command: process.execPath,
      args: ['--conditions=lachesis-source', MAIN, JSON.stringify({ ...options, ...change })],
      env: { NODE_COMPILE_CACHE: COMPILED },
    }),
  });
}

export interface OpenSubjectOptions {
  home: string;
  databaseUrl?: string | undefined;
  port: number;
  /** What a run is started with. */
  request: RunRequest;
  launch(change: Partial<SubjectOptions>): StartProcessOptions;
}

export async function openSubject({ home, databaseUrl, port, request, launch }: OpenSubjectOptions): Promise<Subject> {
  let current: RunningProcess | undefined;
  const runs: string[] = [];
  const base = `http://127.0.0.1:${port}`;
  const boot = async (change: Partial<SubjectOptions> = {}): Promise<void> => {
    const started = await startProcess(launch(change));
    current = started;
    try {
      await waitUntil(
        () => `the control server answers; it says ${JSON.stringify(started.logs().slice(-500))}`,
        BOOT_MS,
        async () => {
          if (!started.isRunning()) throw new HopelessError(`the control server ended:\n${started.logs()}`);
          return (await fetch(`${base}/health`)).ok;
        },
      );
    } catch (error) {
      // Nobody was given it, so nobody else would end it.
      await started.stop({ signal: 'SIGKILL' });
      throw error;
    }
  };
  const call = async (method: string, path: string, sent: object = {}): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const body = method === 'POST' ? { body: JSON.stringify(sent), headers } : {};
    const reply = await fetch(`${base}${path}`, { method, signal: AbortSignal.timeout(25_000), ...body });
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`${method} ${path} answered ${reply.status}: ${text}`);
    return JSON.parse(text);
  };
  const withStore: Subject['withStore'] = async (work) => {
    const store = await openStore(
      databaseUrl === undefined ? { sqlitePath: join(home, 'lachesis.db') } : { databaseUrl },
    );
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  await boot();
  const own = (): RunningProcess => {
    if (current === undefined) throw new Error('the subject was not started');
    return current;
  };
  return {
    home,
    databaseUrl,
    get process() {
      return own();
    },
    async kill() {
      own().signal('SIGKILL');
      await own().exited;
    },
    restart: boot,
    async startRun() {
      const { run_id: run } = (await call('POST', '/runs', request)) as RunStart;
      runs.push(run);
      return run;
    },
    look: async (run) => (await call('GET', `/runs/${run}`)) as RunStatus,
    stopRun: async (run) => (await call('POST', `/runs/${run}/stop`)) as RunStop,
    history: async (run) => ((await call('GET', `/runs/${run}/events`)) as RunEventList).events,
    withStore,
    readHistory: (run) =>
      withStore(async (store) => {
        const found = await findTrainingRun({ store, tenantId: 'local', shortId: run });
        if (found === undefined) return ['there is no such run'];
        const events = await readEventPage({ store, tenantId: 'local', runId: found.runId });
        return events.map(({ at, kind, data }) => `${new Date(at).toISOString()} ${kind} ${data}`);
      }),
    async close() {
      await own().stop({ signal: 'SIGKILL' });
      for (const run of runs) killAll(run);
    },
  };
}
