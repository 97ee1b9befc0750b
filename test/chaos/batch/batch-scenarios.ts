import { join } from 'node:path';

import { createTestDatabase } from '../../kit/create-test-database.ts';
import { findPostgresUrl } from '../../peers/postgres/find-postgres-url.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { createRandom } from '../../conformance/render/random.ts';
import { readRows } from './judge/read-rows.ts';
import { type KillReport, runKills, TURNS } from './load/run-kills.ts';
import { openWarmProcesses, type WarmProcesses } from './load/warm-processes.ts';
import type { SubjectJob } from './subject/job.ts';

/** A kill every thirty prompts or so: a life gets far enough to have something to lose. */
const SHORT = { prompts: 480, kills: 16 };
const FULL = { prompts: 2_000, kills: 100 };
const CONCURRENCY = 8;
const WORKERS = 3;
const SEED = 10;
/** Many times what two free cores need. */
const TIMEOUT_MS = 900_000;
/** A mutant is found out by few blows. */
const MUTANT_PROMPTS = 64;
const MUTANT_KILLS = 4;
/** Two that take from each other without end come forward slowly. */
const STOLEN_PROMPTS = 16;

/** `pnpm chaos batch`: kill -9 of the batch runner, over and over. */
export const batchScenario: Scenario = {
  name: 'kills',
  title: 'a batch whose processes are killed ends with the same file, with nothing lost and nothing paid twice',
  async run(context) {
    const { prompts, kills } = context.full ? FULL : SHORT;
    await using processes = openWarmProcesses({ spare: 3, cache: join(await context.scratch(), 'compiled') });
    await using database = await createTestDatabase({ serverUrl: await findPostgresUrl(context), prefix: 'batch' });
    const begin = async (
      name: string,
      { seed, ...options }: Pick<RunOneOptions, 'databaseUrl' | 'kills' | 'workers'> & { seed: number },
    ) => {
      const { next } = createRandom(seed);
      const log = (text: string): void => context.log(`${name}: ${text}`);
      const ended = await runOne({ ...options, context, processes, next, log, prompts });
      log(`done in ${ended.report.seconds.toFixed(1)} s`);
      return ended;
    };
    context.log(
      `${prompts} prompts: without a blow, and with ${kills} kills on SQLite and on PostgreSQL, side by side …`,
    );
    const [whole, sqlite, postgres] = await Promise.all([
      begin('without a blow', { seed: SEED, kills: 0, workers: 1 }),
      begin('sqlite', { seed: SEED + 1, kills, workers: 1 }),
      begin('postgres', { seed: SEED + 2, kills, workers: WORKERS, databaseUrl: database.url }),
    ]);
    reportKills(context, 'sqlite', { ...sqlite, expected: whole.rows, prompts, kills });
    reportKills(context, 'postgres, three processes', { ...postgres, expected: whole.rows, prompts, kills });
  },
};

export const batchMutantsScenario: Scenario = {
  name: 'mutants',
  title: 'runners with one fault each are found out by the same judge',
  async run(context) {
    await using processes = openWarmProcesses({ spare: 2, cache: join(await context.scratch(), 'compiled') });
    const { next } = createRandom(SEED + 3);
    const common = { context, processes, next, log: context.log, prompts: MUTANT_PROMPTS };
    const [forgets, takes] = await Promise.all([
      runOne({ ...common, kills: MUTANT_KILLS, workers: 1, mutant: 'forgets-turns' }),
      runOne({ ...common, prompts: STOLEN_PROMPTS, kills: 0, workers: 2, mutant: 'takes-living-for-dead' }),
    ]);
    context.report({
      name: 'mutant: keeps no turns',
      figure: `${forgets.report.paidTwice.length} replies paid twice that were not in flight`,
      bar: '≥ 1',
      ok: forgets.report.paidTwice.length > 0,
    });
    context.report({
      name: 'mutant: takes living workers for dead ones',
      figure: `${takes.report.paidTwice.length} replies paid twice, without any kill`,
      bar: '≥ 1',
      ok: takes.report.paidTwice.length > 0,
    });
  },
};

interface RunOneOptions {
  context: ScenarioContext;
  processes: WarmProcesses;
  next: () => number;
  log: (text: string) => void;
  kills: number;
  workers: number;
  prompts: number;
  databaseUrl?: string;
  mutant?: SubjectJob['mutant'];
}

async function runOne(options: RunOneOptions): Promise<{ report: KillReport; rows: string[]; directory: string }> {
  const { context, processes, next, log, kills, workers, prompts, databaseUrl, mutant } = options;
  const folder = await context.scratch();
  const directory = join(folder, 'data', 'run');
  const report = await runKills({
    ...{ processes, workers, kills, random: next, timeoutMs: TIMEOUT_MS, log },
    job: { home: folder, directory, databaseUrl, prompts, concurrency: CONCURRENCY, mutant },
  });
  return { report, rows: await readRows(directory), directory };
}

function reportKills(
  context: ScenarioContext,
  name: string,
  options: { report: KillReport; rows: string[]; expected: string[]; prompts: number; kills: number },
): void {
  const { report, rows, expected, prompts, kills } = options;
  const same = rows.filter((row, at) => row === expected[at]).length;
  context.report({
    name: `${name}: rows`,
    figure: `${same} of ${expected.length} as without a blow, ${rows.length} there, after ${report.kills} kills`,
    bar: `${prompts} of ${prompts}, ${kills} kills`,
    ok: same === prompts && rows.length === prompts && expected.length === prompts && report.kills === kills,
  });
  const { calls, repeats, inFlight, unwritten, crowded, paidTwice } = report;
  for (const fault of [...paidTwice, ...crowded].slice(0, 10)) context.log(`${name}: ${fault}`);
  context.report({
    name: `${name}: paid`,
    figure: `${calls} calls for ${prompts * TURNS} replies, ${repeats} once more; ${paidTwice.length} of them for nothing`,
    bar: `0 for nothing; ≤ the ${inFlight} in flight at a kill once more`,
    ok: paidTwice.length === 0 && repeats <= inFlight && calls === prompts * TURNS + repeats,
  });
  context.report({
    name: `${name}: in flight`,
    figure: `${inFlight} at ${report.kills} kills, ${unwritten} of them answered and not yet written; ${crowded.length} lives with more than they work on`,
    bar: `0 lives above ${CONCURRENCY}`,
    ok: crowded.length === 0 && inFlight > 0,
  });
}
