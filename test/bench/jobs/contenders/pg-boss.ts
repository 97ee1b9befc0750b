import { importPeer } from '../../../peers/jobs/find-jobs-peers.ts';
import { type Contender, LEASE_SECONDS, workInLoops } from './contender.ts';

const QUEUE = 'job';

/** It looks for claims that have run out once a minute when it is not told. */
const OFTEN = { superviseIntervalSeconds: 1, monitorIntervalSeconds: 1 };

interface Job {
  id: string;
  retryCount: number;
  data: { index: number };
}

interface Boss {
  on(event: 'error', told: (error: Error) => void): void;
  start(): Promise<unknown>;
  stop(options: object): Promise<void>;
  createQueue(name: string, options: object): Promise<void>;
  insert(name: string, jobs: object[]): Promise<unknown>;
  fetch(name: string, options: object): Promise<Job[]>;
  complete(name: string, id: string | { id: string; retryCount: number }, data: object): Promise<{ affected: number }>;
  supervise(name: string): Promise<void>;
  getDb(): { executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }> };
}

/** pg-boss 12 by `fetch` and `complete`, each claim told apart by its attempt. */
export async function openPgBoss({ url }: { url: string }): Promise<Contender & { boss: Boss }> {
  const { PgBoss } = (await importPeer('pg-boss')) as { PgBoss: new (options: object) => Boss };
  const boss = new PgBoss({ connectionString: url, max: 10, supervise: false, schedule: false, ...OFTEN });
  boss.on('error', () => undefined);
  await boss.start();
  return {
    boss,
    trigger: { table: 'pgboss.job', key: "(new.data->>'index')::int", isEnd: "new.state = 'completed'" },
    async fill(count) {
      // A worker that is killed must not use up what an item may be tried.
      const limits = { expireInSeconds: LEASE_SECONDS, retryLimit: 1_000, retryDelay: 0, retryBackoff: false };
      await boss.createQueue(QUEUE, limits);
      await boss.insert(
        QUEUE,
        Array.from({ length: count }, (_, index) => ({ data: { index, text: 'x'.repeat(200) } })),
      );
    },
    async countDone() {
      const { rows } = await boss
        .getDb()
        .executeSql(`select count(*)::int as done from pgboss.job where name = $1 and state = 'completed'`, [QUEUE]);
      return Number(rows[0]?.['done']);
    },
    supervise: () => boss.supervise(QUEUE),
    work: (options) =>
      workInLoops(options, {
        claim: async () => (await boss.fetch(QUEUE, { batchSize: 1, includeMetadata: true }))[0],
        numberOf: ({ data }) => data.index,
        end: async ({ id, retryCount }) => {
          await boss.complete(QUEUE, { id, retryCount }, { text: 'y'.repeat(200) });
        },
      }),
    [Symbol.asyncDispose]: () => boss.stop({ graceful: false, close: true }),
  };
}
