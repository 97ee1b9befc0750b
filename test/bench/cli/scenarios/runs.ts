import { join } from 'node:path';

import { createControlClient } from '@lachesis/sdk';
import { openStore, StoreUnavailableError } from '@lachesis/store';

import { createTestDatabase, type TestDatabase } from '../../../kit/create-test-database.ts';
import { countForeignCores, sampleMachine } from '../../../kit/machine-noise.ts';
import { startControlServer } from '../../../kit/start-control-server.ts';
import { waitForCalm } from '../../../kit/wait-for-calm.ts';
import { findPostgresUrl } from '../../../peers/postgres/find-postgres-url.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { LONG_RUN, loopIdOf, POINTS, RUNS, runIdOf, shortIdOf } from '../runs/facts.ts';
import { fillRuns, type Place } from '../runs/fill-runs.ts';
import { measureQuestions, type Figures } from '../runs/measure-questions.ts';
import { createMutants } from '../runs/mutants.ts';
import { questions } from '../runs/questions.ts';
import { createHttpReader, createStoreReader, type RunReader } from '../runs/reader.ts';

const MAX_P95_MS = 200;
/** The short form asks 20 times, so that p95 is the second slowest. */
const [SHORT_TIMES, FULL_TIMES, MUTANT_TIMES, WARM_UP_TIMES] = [20, 100, 1, 2];

/** `pnpm bench cli/runs`. */
export const runsScenario: Scenario = {
  name: 'runs',
  title: `lists and charts of ${RUNS} runs and ${POINTS} metric points, in the store and over HTTP, on SQLite and PostgreSQL`,
  async run(context) {
    const [sqliteHome, postgresHome] = [await context.scratch(), await context.scratch()];
    const database = await createDatabase(context);
    const postmaster = database.postmasterPid === undefined ? [] : [database.postmasterPid];
    const subjects: Subject[] = [
      {
        ...{ dialect: 'SQLite', home: sqliteHome, ownRoots: [process.pid] },
        place: { sqlitePath: join(sqliteHome, 'lachesis.db') },
      },
      {
        ...{ dialect: 'PostgreSQL', home: postgresHome, ownRoots: [process.pid, ...postmaster] },
        place: { databaseUrl: database.url },
      },
    ];
    // At once: what is measured comes after.
    await Promise.all(
      subjects.map(async ({ dialect, place }) => {
        const { seconds, pointSeconds, migrationSeconds } = await fillRuns(place);
        const parts = `points ${pointSeconds.toFixed(1)}, migration ${migrationSeconds.toFixed(1)}`;
        context.log(`${dialect}: filled in ${seconds.toFixed(1)} s (${parts})`);
      }),
    );
    for (const subject of subjects) await showReaders(context, subject);
  },
};

interface Measured {
  reader: RunReader;
  /** The processes whose work is ours. */
  ownRoots: readonly number[];
}

interface Subject {
  dialect: string;
  home: string;
  place: Place;
  ownRoots: readonly number[];
}

async function showReaders(context: ScenarioContext, { dialect, home, place, ownRoots }: Subject): Promise<void> {
  const store = await openStore({ ...place, deadlineMs: 60_000 });
  context.defer(() => store.close());
  const idOf = (run: number) => ({ runId: runIdOf(run), shortId: shortIdOf(run) });
  const inStore = createStoreReader(store, idOf);
  await showQuestions(context, `${dialect}, store`, { reader: inStore, ownRoots });
  await using server = await startServer(home, place);
  const client = createControlClient({ url: server.url });
  await showQuestions(context, `${dialect}, HTTP`, { reader: createHttpReader(client, shortIdOf), ownRoots });
  for (const { name, kind, reader } of createMutants(store, inStore)) {
    await showMutant(context, { name: `${dialect} mutant: ${name}`, kind, reader });
  }
  await store.db.deleteFrom('metric_blocks').where('run_id', '=', loopIdOf(LONG_RUN)).execute();
  await showMutant(context, {
    name: `${dialect} mutant: a store without the sums`,
    ...{ kind: 'chart: ten metrics', reader: inStore },
  });
}

async function showQuestions(context: ScenarioContext, name: string, subject: Measured): Promise<void> {
  const { reader, ownRoots } = subject;
  const times = context.full ? FULL_TIMES : SHORT_TIMES;
  await measureQuestions({ reader, questions, times: WARM_UP_TIMES });
  await waitForCalm(context.full);
  const before = sampleMachine(ownRoots);
  const figures = await measureQuestions({ reader, questions, times });
  const foreignCores = countForeignCores(before, sampleMachine(ownRoots));
  for (const one of figures) context.log(`${name}: ${describe(one)}`);
  const wrong = figures.reduce((sum, one) => sum + one.wrong, 0);
  const slowest = figures.reduce((left, right) => (right.p95Ms > left.p95Ms ? right : left));
  context.report({
    name,
    figure:
      `slowest of ${questions.length} kinds, each asked ${times} times, is ${describe(slowest)}; ${wrong} answers wrong; ` +
      `${foreignCores.toFixed(1)} cores used by others`,
    bar: `p95 of each ≤ ${MAX_P95_MS} ms, 0 wrong`,
    ok: slowest.p95Ms <= MAX_P95_MS && wrong === 0,
  });
}

async function showMutant(
  context: ScenarioContext,
  { name, kind, reader }: { name: string; kind: string; reader: RunReader },
): Promise<void> {
  const asked = questions.filter((question) => question.kind === kind);
  // On a slow machine it holds this process for so long that a new connection is given up: as noticeable as a late answer.
  const measured = await measureQuestions({ reader, questions: asked, times: MUTANT_TIMES }).catch((error: unknown) => {
    if (StoreUnavailableError.isInstance(error)) return error;
    throw error;
  });
  const isAway = StoreUnavailableError.isInstance(measured);
  const [figures] = isAway ? [] : measured;
  const isCaught = isAway || (figures !== undefined && (figures.p95Ms > MAX_P95_MS || figures.wrong > 0));
  const told = isAway ? measured.message : figures === undefined ? 'no figures' : describe(figures);
  context.report({
    name,
    figure: `${isCaught ? 'caught' : 'not noticed'}, ${told}, ${figures?.wrong ?? 0} wrong`,
    bar: 'caught',
    ok: isCaught,
  });
}

const describe = ({ kind, p50Ms, p95Ms, maxMs }: Figures): string =>
  `"${kind}" p95 ${p95Ms.toFixed(1)} ms (p50 ${p50Ms.toFixed(1)}, most ${maxMs.toFixed(1)})`;

async function startServer(home: string, place: Place): Promise<AsyncDisposable & { url: string }> {
  const env = 'databaseUrl' in place ? { DATABASE_URL: place.databaseUrl } : {};
  const { url, process: serving } = await startControlServer({ home, env });
  return { url, [Symbol.asyncDispose]: async () => void (await serving.stop()) };
}

async function createDatabase(context: ScenarioContext): Promise<TestDatabase> {
  const database = await createTestDatabase({ serverUrl: await findPostgresUrl(context), prefix: 'cli' });
  context.defer(() => database.drop());
  return database;
}
