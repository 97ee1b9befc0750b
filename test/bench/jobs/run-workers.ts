import pg from 'pg';
import { type RunningProcess, startProcess } from '../../kit/start-process.ts';
import { createTestDatabase } from '../../kit/create-test-database.ts';
import { findPostgresUrl } from '../../peers/postgres/find-postgres-url.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { rest } from './contenders/contender.ts';
import { type ContenderName, openContender } from './contenders/open-contender.ts';

const WORKER = 'test/bench/jobs/worker-process.ts';
/** Many times what two free cores need. */
const TIMEOUT_MS = 300_000;

export interface RunWorkersOptions {
  readonly context: ScenarioContext;
  readonly name: ContenderName;
  readonly items: number;
  /** What is worked on, where an item has several stages. */
  readonly stages?: number;
  readonly workers: number;
  readonly concurrency: number;
  readonly workMs: number;
  /** So many workers are killed on the way, and others take their places. */
  readonly kills: number;
  readonly endsFirst?: boolean;
  /** Whether others take the places of those who were killed; they do when left out. */
  readonly replaces?: boolean;
  readonly timeoutMs?: number;
}

export interface WorkersRun {
  readonly seconds: number;
  readonly claims: readonly number[];
  /** Not ended, or ended and never worked on. */
  readonly lost: number;
  /** Ended by two writes. */
  readonly twice: number;
  /** Work that was begun again, because who had it was killed. */
  readonly again: number;
  readonly kills: number;
}

/** Fills a queue in a database of its own, and has worker processes empty it. */
export async function runWorkers(options: RunWorkersOptions): Promise<WorkersRun> {
  const { context, name, items, stages = 1, kills, replaces = true, timeoutMs = TIMEOUT_MS } = options;
  const folder = await context.scratch();
  await using database = await createTestDatabase({ serverUrl: await findPostgresUrl(context), prefix: 'jobs' });
  const { url } = database;
  const begun: number[] = [];
  const worked = new Set<number>();
  const claims: number[] = [];
  let first = 0;
  let last = 0;
  const onLine = (line: string): void => {
    const [word, value] = line.split(' ');
    if (word === 'claimed') claims.push(Number(value));
    if (word === 'begun') {
      first ||= performance.now();
      begun.push(Number(value));
    }
    if (word === 'worked') {
      last = performance.now();
      worked.add(Number(value));
      strike();
    }
  };
  // At once, and not when somebody looks: on a quick machine all would be done by then.
  const places: RunningProcess[] = [];
  const struck = new Set<RunningProcess>();
  let killed = 0;
  const strike = (): void => {
    const due = ((killed + 1) * items * stages) / (kills + 1);
    const victim = places.filter((each) => !struck.has(each))[0];
    if (killed >= kills || worked.size < due || victim === undefined) return;
    victim.signal('SIGKILL');
    struck.add(victim);
    killed += 1;
  };
  const start = async (more: object): Promise<RunningProcess> => {
    const given = { ...options, context: undefined, folder, url, ...more };
    return await startProcess({
      command: process.execPath,
      args: ['--conditions=lachesis-source', '--no-warnings', WORKER, JSON.stringify(given)],
      ...{ name: `a worker of ${name}`, onLine },
    });
  };
  const filler = await start({ fill: items });
  const { code } = await filler.exited;
  if (code !== 0) throw new Error(`${name} was not filled: ${filler.logs()}`);
  await using contender = await openContender({ name, url, folder });
  await using watcher = await watchEnds(url, contender.trigger);

  let lives = 0;
  // A place keeps its name over its lives where the queue knows a process by it.
  const begin = (place: number): Promise<RunningProcess> =>
    start({ fill: 0, holder: name.includes('dbos') ? `place-${place}` : `life-${(lives += 1)}` });
  places.push(...(await Promise.all(Array.from({ length: options.workers }, (_, place) => begin(place)))));
  const stop = (): Promise<unknown> => Promise.all(places.map((each) => each.stop({ signal: 'SIGKILL' })));
  context.defer(async () => void (await stop()));
  const deadline = performance.now() + timeoutMs;
  for (let done = 0; done < items;) {
    if (performance.now() > deadline) break;
    await rest(100);
    await contender.supervise();
    done = await contender.countDone();
    for (const [place, each] of places.entries()) {
      if (!struck.has(each)) continue;
      await each.exited;
      if (replaces) places[place] = await begin(place);
    }
    const fallen = places.find((each) => !each.isRunning() && !struck.has(each));
    if (fallen !== undefined) throw new Error(`a worker of ${name} ended by itself: ${fallen.logs()}`);
  }
  const ends = await watcher.read();
  await stop();
  const countDone = (): number =>
    [...ends.keys()].filter((item) =>
      Array.from({ length: stages }, (_, stage) => item * stages + stage).every((each) => worked.has(each)),
    ).length;
  // What a worker said before it ended may still be on its way.
  for (let looks = 0; looks < 20 && countDone() < items; looks += 1) await rest(50);
  return {
    ...{ claims, kills: killed, seconds: (last - first) / 1_000 },
    lost: items - countDone(),
    twice: [...ends.values()].filter((count) => count > 1).length,
    again: begun.length - new Set(begun).size,
  };
}

/** Every write of an end, counted by the database. */
async function watchEnds(url: string, { table, key, isEnd }: { table: string; key: string; isEnd: string }) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create table job_ends (item int not null);
    create function note_end() returns trigger language plpgsql as $$
      begin insert into public.job_ends values (${key}); return null; end $$;
    create trigger note_end after update on ${table} for each row when (${isEnd}) execute function note_end();`);
  return {
    async read(): Promise<Map<number, number>> {
      const { rows } = await client.query<{ item: number; count: number }>(
        'select item, count(*)::int as count from job_ends group by item',
      );
      return new Map(rows.map(({ item, count }) => [item, count]));
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
