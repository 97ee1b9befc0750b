import { DatabaseSync } from 'node:sqlite';

import { allMigrations, openStore } from '@lachesis/store';
import pg from 'pg';

import {
  EVAL_EVERY,
  EVAL_SERIES,
  FIRST_MS,
  LONG_RUN,
  LONG_SERIES,
  LONG_STEPS,
  loopIdOf,
  RUNS,
  SHORT_SERIES,
  SHORT_STEPS,
  SPIKE,
  TENANT,
} from './facts.ts';

/** `databaseUrl` for PostgreSQL, or the file of a SQLite database. */
export type Place = { databaseUrl: string } | { sqlitePath: string };

/** Configuration of the length that runs have. */
const CONFIG = JSON.stringify({ values: { note: 'x'.repeat(800) }, recipe: { env: {}, openai: [], tinker: {} } });
const DETAILS = JSON.stringify({ directory: '/runs', totalSteps: LONG_STEPS, wandbRunName: 'a run' });

/** Writes everything in bulk: the points as a server of the version before left them, then the migration, then the runs. */
export async function fillRuns(
  place: Place,
): Promise<{ pointSeconds: number; migrationSeconds: number; seconds: number }> {
  const startedAt = performance.now();
  const since = (from: number): number => (performance.now() - from) / 1000;
  // What came before that migration; everything after it may change its tables.
  const before = allMigrations.slice(
    0,
    allMigrations.findIndex(({ name }) => name === 'control'),
  );
  await (await openStore({ ...place, migrations: before })).close();
  const run = await connect(place);
  try {
    const pointsAt = performance.now();
    for (const statement of writePoints()) await run.execute(statement);
    // Both know by themselves after a while what is in their tables; what is asked here is not that while.
    await run.execute('analyze');
    const pointSeconds = since(pointsAt);
    const migrationAt = performance.now();
    await (await openStore(place)).close();
    const migrationSeconds = since(migrationAt);
    for (const statement of writeRuns()) await run.execute(statement);
    await run.execute('analyze');
    return { pointSeconds, migrationSeconds, seconds: since(startedAt) };
  } finally {
    await run.close();
  }
}

const numbers = (last: number): string =>
  `with recursive n(i) as (select cast(1 as bigint) union all select i + 1 from n where i < ${last})`;

function writePoints(): string[] {
  const into = 'insert into metric_points (tenant_id, run_id, series, step, at, value)';
  const long = `'${TENANT}', '${loopIdOf(LONG_RUN)}'`;
  return [
    ...LONG_SERIES.map(
      (series, index) => `${into} ${numbers(LONG_STEPS)}
        select ${long}, '${series}', i, ${FIRST_MS} + i, ${
          index === SPIKE.series ? `case when i = ${SPIKE.step} then ${SPIKE.value}.0 else` : ''
        } ((i * 7919 + ${index * 104_729}) % 1000) / 1000.0 ${index === SPIKE.series ? 'end' : ''} from n`,
    ),
    `${into} ${numbers(LONG_STEPS / EVAL_EVERY)}
      select ${long}, '${EVAL_SERIES}', i * ${EVAL_EVERY}, ${FIRST_MS}, 0.5 from n`,
    `${into} ${numbers((RUNS - 1) * SHORT_STEPS)}
      select '${TENANT}', '${loopIdOf(0).slice(0, 24)}' || substr('00000000000' || ((i - 1) / ${SHORT_STEPS} + 1), -12),
        '${SHORT_SERIES}', (i - 1) % ${SHORT_STEPS} + 1, ${FIRST_MS}, 0.25 from n`,
  ];
}

function writeRuns(): string[] {
  const padded = (length: number): string => `substr('00000000000' || i, -${length})`;
  const runId = `'01a00000-0000-7000-8000-' || ${padded(12)}`;
  const loopId = `'01b00000-0000-7000-8000-' || ${padded(12)}`;
  const shortId = `'r' || ${padded(7)}`;
  const at = `${FIRST_MS} + i * 1000`;
  return [
    `insert into runs (tenant_id, run_id, name, created_at) ${numbers(RUNS)}
      select '${TENANT}', ${loopId}, ${shortId}, ${at} from n`,
    `insert into training_runs (tenant_id, run_id, short_id, environment, state, reason, outcome, config, details,
        idempotency_key, stop_requested_at, created_at, started_at, ended_at, changed_at,
        event_cursor, event_hash) ${numbers(RUNS)}
      select '${TENANT}', ${runId}, ${shortId},
        case when i <= 5 then 'rare' else 'environment-' || (i % 20) end,
        case when i <= 5 then 'failed' when i % 7 = 0 then 'stopped' else 'completed' end,
        'as the bench says', null, '${CONFIG}', '${DETAILS}', null, null, ${at}, ${at}, ${at}, ${at}, 0, ''
      from n`,
    ...['api', 'trainer', 'env'].map(
      (role) => `insert into run_processes (tenant_id, run_id, role, state, restarts, deaths, log_path, updated_at)
        ${numbers(RUNS)} select '${TENANT}', ${runId}, '${role}', 'stopped', 0, '[]', '/log', ${at} from n`,
    ),
  ];
}

interface Connection {
  execute(statement: string): Promise<void>;
  close(): Promise<void>;
}

async function connect(place: Place): Promise<Connection> {
  if ('sqlitePath' in place) {
    const database = new DatabaseSync(place.sqlitePath);
    // Filling is not what is measured, and a scratch file need not survive a power cut.
    database.exec('pragma synchronous = off');
    return { execute: async (statement) => database.exec(statement), close: async () => database.close() };
  }
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  await client.query('set synchronous_commit = off');
  return {
    // Its substr takes no negative start.
    execute: async (statement) =>
      void (await client.query(statement.replaceAll(/substr\((.*?), -(\d+)\)/g, 'right($1, $2)'))),
    close: () => client.end(),
  };
}
