import { findQuantile } from '../../../kit/quantiles.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { readSettledMegabytes } from '../read-memory.ts';
import { runFuzz } from '../run-fuzz.ts';
import { SUBJECTS, type SubjectName } from '../subject/start-subjects.ts';
import { logFindings, readSeed } from './settings.ts';

/**
 * The heap finds its size over the first ten thousand cases or so (settled memory of a reward server after each five
 * thousand: 205, 268, 321, 339, 356, 357, 367 MB), so growth is read over the last part. 20 KB kept of each request are seen.
 */
const WARM_UP_PART = 0.7;
const MAX_GROWTH_MB = 60;
const CASES = 10_000;
const CASES_FULL = 50_000;

/** The other servers: their requests are made from what each says of itself. */
export const serverCaseScenarios: readonly Scenario[] = (['control', 'inference', 'reward', 'mcp'] as const).map(
  (name) => ({
    name,
    title: `random and mutated requests to every route of ${name}: no 5xx, no crash, no growth`,
    run: (context) => showServer(context, name),
  }),
);

async function showServer(context: ScenarioContext, name: SubjectName): Promise<void> {
  const { port, process, draftOf, declared, routes } = await SUBJECTS[name](context);
  const seed = readSeed();
  const cases = context.full ? CASES_FULL : CASES;
  const first = Math.round(cases * WARM_UP_PART);
  const startedAt = performance.now();
  const warmUp = await runFuzz({ port, draftOf, declared, seed: seed + 1_000_000, cases: first });
  const before = await readSettledMegabytes(process.pid);
  const outcome = await runFuzz({ port, draftOf, declared, seed, cases: cases - first });
  const seconds = (performance.now() - startedAt) / 1_000;
  const growth = (await readSettledMegabytes(process.pid)) - before;
  const failures = [...warmUp.failures, ...outcome.failures];
  logFindings(context, failures);
  const statuses = [...outcome.statuses].sort(([left], [right]) => left - right);
  context.log(
    `${seconds.toFixed(1)} s, answers ${statuses.map(([status, count]) => `${status}: ${count}`).join(', ')}`,
  );
  const isAlive = process.isRunning();
  context.report({
    name: `fuzz ${name}`,
    figure: `${warmUp.cases + outcome.cases} cases to ${routes.length} routes (SEED=${seed}), ${failures.length} 5xx, ${isAlive ? 'alive' : 'DEAD'}, RSS ${growth < 0 ? '−' : '+'}${Math.abs(growth).toFixed(0)} MB`,
    bar: `0 5xx, alive, ≤ ${MAX_GROWTH_MB} MB`,
    ok: failures.length === 0 && isAlive && growth <= MAX_GROWTH_MB,
  });
  const unanswered = [...warmUp.unanswered, ...outcome.unanswered];
  logFindings(context, unanswered);
  context.report({
    name: `fuzz ${name} answers`,
    figure: `${unanswered.length} of ${outcome.latenciesMs.length} well-formed requests unanswered, p99 ${findQuantile(outcome.latenciesMs, 0.99).toFixed(0)} ms`,
    bar: '0',
    ok: unanswered.length === 0,
  });
}
