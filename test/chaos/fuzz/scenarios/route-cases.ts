import { chooseSlice } from '../../../kit/choose-slice.ts';
import { createTestDatabase } from '../../../kit/create-test-database.ts';
import { findQuantile } from '../../../kit/quantiles.ts';
import { startServer } from '../../../peers/atropos/start-server.ts';
import type { Server } from '../../../peers/atropos/start-server.ts';
import { startPostgres } from '../../../peers/postgres/start-postgres.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { ROUTE_PLANS } from '../cases/draft-requests.ts';
import { Memory, RUNS } from '../cases/memory.ts';
import { readSettledMegabytes } from '../read-memory.ts';
import { runFuzz } from '../run-fuzz.ts';
import type { FuzzOutcome } from '../run-fuzz.ts';
import { FUZZ_ENVIRONMENT, logFindings, readSeed } from './settings.ts';

const DATABASES = ['sqlite', 'postgres'] as const;
type DatabaseName = (typeof DATABASES)[number];

const MAX_GROWTH_MB = 50;
const MAX_ANSWER_MS = 1_000;
/** On each database, each with its own, so twice as many in all. */
const CASES = 6_000;
const CASES_FULL = 50_000;
/** The heap finds its size over thousands of cases (`server-cases.ts`), so growth is read over the last part. */
const WARM_UP_PART = 0.6;

/** Postgres refuses texts and numbers that SQLite takes, so each is shown with its own server. */
export const routeCaseScenarios: readonly Scenario[] = [
  ...DATABASES.map((database) => ({
    name: database,
    title: `random and mutated requests to every route over ${database}: no 5xx, no crash, no growth`,
    run: (context: ScenarioContext) => showRouteCases(context, database),
  })),
  {
    name: 'chosen',
    title: 'one of these two, which the commit chooses; the two themselves are the whole',
    run: async (context) => {
      if (context.full) {
        context.reportNotRun({ name: 'chosen', why: `both are: ${DATABASES.join(', ')}`, bar: 'one of them' });
        return;
      }
      for (const database of chooseSlice(DATABASES, 1)) await showRouteCases(context, database);
    },
  },
];

async function showRouteCases(context: ScenarioContext, database: DatabaseName): Promise<void> {
  const databaseUrl = database === 'postgres' ? { databaseUrl: await openDatabase(context) } : {};
  const server = await startServer({ ...databaseUrl, env: FUZZ_ENVIRONMENT });
  context.defer(async () => {
    await server[Symbol.asyncDispose]();
  });
  const routes = await listRoutes(server);
  const forgotten = routes.filter((route) => ROUTE_PLANS[route] === undefined);
  if (forgotten.length > 0) throw new Error(`no cases are made for ${forgotten.join(', ')}`);

  const childPid = server.childPid();
  const memory = new Memory();
  const port = server.port;
  const seed = 2 * readSeed() + (database === 'sqlite' ? 0 : 1);
  const cases = context.full ? CASES_FULL : CASES;
  const first = Math.round(cases * WARM_UP_PART);
  const startedAt = performance.now();
  const warmUp = await runFuzz({ port, memory, seed: seed + 1_000_000, cases: first });
  const before = await readSettledMegabytes(server.pid);
  const outcome = await runFuzz({ port, memory, seed, cases: cases - first });
  const seconds = (performance.now() - startedAt) / 1000;
  const growth = (await readSettledMegabytes(server.pid)) - before;
  const isAlive = server.process.isRunning() && server.childPid() === childPid;
  context.log(`${seconds.toFixed(1)} s, ${before.toFixed(0)} MB before, answers ${describeStatuses(outcome)}`);
  const failures = [...warmUp.failures, ...outcome.failures];
  logFindings(context, failures);

  context.report({
    name: `fuzz ${database}`,
    figure: `${warmUp.cases + outcome.cases} cases, ${failures.length} 5xx, child ${isAlive ? 'alive' : 'DEAD'}, RSS ${formatGrowth(growth)}`,
    bar: `0 5xx, alive, ≤ ${MAX_GROWTH_MB} MB`,
    ok: failures.length === 0 && isAlive && growth <= MAX_GROWTH_MB,
  });
  const unanswered = [...warmUp.unanswered, ...outcome.unanswered];
  logFindings(context, unanswered);
  const p99 = findQuantile(outcome.latenciesMs, 0.99);
  context.report({
    name: `fuzz ${database} answers`,
    figure: `${unanswered.length} of ${outcome.latenciesMs.length} well-formed requests unanswered, p99 ${p99.toFixed(0)} ms`,
    bar: `0, p99 ≤ ${MAX_ANSWER_MS} ms`,
    ok: unanswered.length === 0 && p99 <= MAX_ANSWER_MS,
    onlyByClock: unanswered.length === 0,
  });
  const missed = routes.filter((route) => !warmUp.reached.has(route) && !outcome.reached.has(route));
  const unbalanced = await findUnbalancedRuns(server);
  context.report({
    name: `fuzz ${database} reach`,
    figure: `${routes.length - missed.length} of ${routes.length} routes did their work${listOf(missed)}, ${unbalanced.length} ledgers out of balance${listOf(unbalanced)}`,
    bar: 'all routes, 0 ledgers',
    ok: missed.length === 0 && unbalanced.length === 0,
  });
}

/** What the server itself says it offers, without the form under `/run`. */
async function listRoutes(server: Server): Promise<string[]> {
  const response = await fetch(`${server.url}/openapi.json`);
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths)
    .filter(([path]) => !path.startsWith('/run/'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
}

async function findUnbalancedRuns(server: Server): Promise<string[]> {
  const unbalanced: string[] = [];
  for (const run of RUNS) {
    const response = await fetch(`${server.url}${run === '' ? '' : `/run/${run}`}/v1/ledger`);
    const { balanced } = (await response.json()) as { balanced?: boolean };
    if (balanced !== true) unbalanced.push(run === '' ? 'default' : run);
  }
  return unbalanced;
}

function describeStatuses({ statuses }: FuzzOutcome): string {
  const sorted = [...statuses].sort(([left], [right]) => left - right);
  return sorted.map(([status, count]) => `${status}: ${count}`).join(', ');
}

function formatGrowth(megabytes: number): string {
  return `${megabytes < 0 ? '−' : '+'}${Math.abs(megabytes).toFixed(0)} MB`;
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? '' : ` (${names.join(', ')})`;
}

/** On the Postgres of .ci/setup, or on a private one. */
async function openDatabase(context: ScenarioContext): Promise<string> {
  const shared = process.env['DATABASE_URL_TEST'];
  let serverUrl = shared;
  if (serverUrl === undefined) {
    const postgres = await startPostgres();
    context.defer(async () => {
      await postgres[Symbol.asyncDispose]();
    });
    serverUrl = postgres.url;
  }
  const database = await createTestDatabase({ serverUrl, prefix: 'fuzz' });
  context.defer(() => database.drop());
  return database.url;
}
