import pg from 'pg';
import { importPeer } from '../../../peers/jobs/find-jobs-peers.ts';
import { type Contender, rest, type WorkOptions } from './contender.ts';

const QUEUE = 'job';
const STAGES = 5;

interface Dbos {
  setConfig(config: object): void;
  launch(): Promise<void>;
  registerQueue(name: string, options: object): Promise<unknown>;
  registerWorkflow(run: (index: number) => Promise<unknown>, options: { name: string }): unknown;
  runStep<T>(step: () => Promise<T>, options: { name: string }): Promise<T>;
}

interface Client {
  enqueue(options: object, ...args: unknown[]): Promise<unknown>;
  registerQueue(name: string, options: object): Promise<unknown>;
  destroy(): Promise<void>;
}

type Executor = {
  globalInstance: { systemDatabase: { findAndMarkStartableWorkflows(...args: unknown[]): Promise<string[]> } };
};

/** DBOS 5: an item is a workflow of its queue. A process that was killed takes its own up when it is back. */
export async function openDbos({
  url,
}: {
  url: string;
}): Promise<Contender & { fillChains(count: number): Promise<void> }> {
  const { DBOS, DBOSClient } = (await importPeer('@dbos-inc/dbos-sdk')) as unknown as {
    DBOS: Dbos;
    DBOSClient: { create(options: object): Promise<Client> };
  };
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const config = {
    name: 'bench',
    systemDatabaseUrl: url,
    logLevel: 'error',
    applicationVersion: '1',
    runAdminServer: false,
  };
  const enqueue = async (workflowName: string, count: number): Promise<void> => {
    const client = await DBOSClient.create({ systemDatabaseUrl: url });
    for (let first = 0; first < count; first += 20) {
      const some = Array.from({ length: Math.min(20, count - first) }, (_, at) => first + at);
      await Promise.all(
        some.map((index) =>
          client.enqueue(
            { queueName: QUEUE, workflowName, workflowID: String(index), appVersion: '1' },
            ...[index, 'x'.repeat(200)],
          ),
        ),
      );
    }
    await client.destroy();
  };
  return {
    trigger: { table: 'dbos.workflow_status', key: 'new.workflow_uuid::int', isEnd: "new.status = 'SUCCESS'" },
    async fill(count) {
      await launch(DBOS, config, 'filler', { concurrency: 1 });
      await enqueue('item', count);
    },
    async fillChains(count) {
      await launch(DBOS, config, 'filler', { concurrency: 1 });
      await enqueue('chain', count);
    },
    async countDone() {
      const { rows } = await pool.query<{ done: number }>(
        `select count(*)::int as done from dbos.workflow_status where queue_name = $1 and status = 'SUCCESS'`,
        [QUEUE],
      );
      return rows[0]?.done ?? 0;
    },
    supervise: async () => undefined,
    async work(options) {
      const { report, workMs, concurrency, holder } = options;
      DBOS.registerWorkflow(
        async (index: number) => {
          report.begun(index);
          if (workMs > 0) await rest(workMs);
          report.worked(index);
          return { text: 'y'.repeat(200) };
        },
        { name: 'item' },
      );
      DBOS.registerWorkflow(
        async (index: number) => {
          for (let stage = 0; stage < STAGES; stage += 1) {
            const name = `stage ${stage}`;
            await DBOS.runStep(async () => await runStage(options, index * STAGES + stage), { name });
          }
        },
        { name: 'chain' },
      );
      await launch(DBOS, config, holder, { concurrency, onClaim: (ms) => report.claimed(ms) });
      return await new Promise<never>(() => undefined);
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

async function runStage({ report, workMs }: WorkOptions, number: number): Promise<{ text: string }> {
  report.begun(number);
  if (workMs > 0) await rest(workMs);
  report.worked(number);
  return { text: 'y'.repeat(200) };
}

async function launch(
  DBOS: Dbos,
  config: object,
  executorID: string,
  { concurrency, onClaim }: { concurrency: number; onClaim?: (ms: number) => void },
): Promise<void> {
  DBOS.setConfig({ ...config, executorID });
  await DBOS.launch();
  // Its claims are made in the background: they are timed where they are made. Most polls of an empty queue are not told.
  const { DBOSExecutor } = (await importPeer('@dbos-inc/dbos-sdk/dist/src/dbos-executor.js')) as {
    DBOSExecutor: Executor;
  };
  const { systemDatabase } = DBOSExecutor.globalInstance;
  const claim = systemDatabase.findAndMarkStartableWorkflows.bind(systemDatabase);
  systemDatabase.findAndMarkStartableWorkflows = async (...args) => {
    const from = performance.now();
    const found = await claim(...args);
    if (found.length > 0) onClaim?.(performance.now() - from);
    return found;
  };
  if (onClaim !== undefined)
    await DBOS.registerQueue(QUEUE, { workerConcurrency: concurrency, minPollingIntervalMs: 10 });
}
