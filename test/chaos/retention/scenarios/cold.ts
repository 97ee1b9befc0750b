import {
  collectHomeOrphans,
  createBackup,
  forgetTrajectories,
  iterateTrajectories,
  openHome,
  restoreBackup,
  retain,
  verifyLibrary,
  writeKeepPolicy,
  type Home,
  type Store,
} from '@lachesis/store';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askFiles } from '../../../../packages/cli/src/commands/data/ask-files.ts';
import { createTestDatabase } from '../../../kit/create-test-database.ts';
import { findPostgresUrl } from '../../../peers/postgres/find-postgres-url.ts';
import { startVersitygw, whyNoVersitygw } from '../../../peers/versitygw/start-versitygw.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { flipBit } from '../../../conformance/blobs/open-bucket.ts';
import { fillConversations, FORGOTTEN } from '../fill-conversations.ts';
import { fillHome } from '../fill-home.ts';
import { runGc, runLachesis, startGc, type HomePlace } from '../run-gc.ts';

const SIZE = { conversations: 3_000, groups: 6_000, kills: 4 };
const FULL_SIZE = { conversations: 100_000, groups: 200_000, kills: 20 };
const MUTANT_CONVERSATIONS = 200;
const MUTANT_GROUPS = 400;
const LOOK_MS = 5;
const TENANT = 'local';

/** What left the database for files is all there, once, and reads as before. */
export const coldScenario: Scenario = {
  name: 'cold',
  title: 'contents and groups leave the database for Parquet files under kills, and everything reads as before',
  async run(context) {
    const size = context.full ? FULL_SIZE : SIZE;
    const place = await openPlace(context);
    const home = await openHome(place);
    context.defer(() => home.close());
    const { waiting } = await fillHome(home, { groups: size.groups, waitingEvery: 20, events: 100, records: 0 });
    await fillConversations(home, { count: size.conversations, days: 40, recorder: 'old' });
    const settled = size.groups - waiting.length;
    const before = await exportAll(context, place);
    await runGc(place, '--keep-hot', '30');
    const at: number[] = [];
    for (let kill = 0; kill < size.kills; kill += 1) {
      const left = await countHot(home);
      const gc = await startGc(place);
      const until = left - Math.random() * (left / (size.kills - kill + 1));
      while (gc.isRunning() && (await countHot(home)) >= until) await sleep(LOOK_MS);
      gc.signal('SIGKILL');
      await gc.exited;
      at.push(await countHot(home));
      // Somebody records all the while.
      await fillConversations(home, { count: 20, days: 0, recorder: `new-${kill}` });
    }
    await runGc(place);
    const findings = await judgeFiles(home, place.home, {
      ...{ conversations: size.conversations, settled, waiting: waiting.length },
    });
    const after = await exportAll(context, place);
    context.report({
      name: 'moved under kills',
      figure: `${size.kills} kills, with ${at.join(', ')} still in the database; export ${after === before ? 'the same bytes' : 'DIFFERS'}; ${findings.length} findings${findings[0] === undefined ? '' : `: ${findings[0]}`}; payloads in ${place.env === undefined ? 'files (no S3 server here)' : 'a bucket'}`,
      bar: 'killed with some left, the same bytes, 0 findings',
      ok: findings.length === 0 && after === before && at.every((left) => left > 0),
    });
    await showRestored(context, place, after);
    await showForgotten(context, home);
    await showDamage(context, place, home);
    for (const [name, change] of Object.entries(MUTANTS)) {
      const caught = await collect(context, change);
      context.report({
        name: `mutant ${name}`,
        figure: caught === undefined ? 'not caught' : `caught: ${caught.slice(0, 120)}`,
        bar: 'caught',
        ok: caught !== undefined,
      });
    }
    const honest = await collect(context, (commit) => commit);
    context.report({
      name: 'the mover itself',
      figure: honest ?? 'nothing found',
      bar: 'nothing found',
      ok: honest === undefined,
    });
  },
};

/** A home whose payloads lie in a folder that a fault can reach. */
type ColdPlace = HomePlace & { folder: string };

async function openPlace(context: ScenarioContext): Promise<ColdPlace> {
  const database = await createTestDatabase({ serverUrl: await findPostgresUrl(context), prefix: 'cold' });
  context.defer(() => database.drop());
  const place = { home: join(await context.scratch(), 'home'), databaseUrl: database.url };
  if (whyNoVersitygw() !== undefined) return { ...place, folder: join(place.home, 'blobs') };
  const server = await startVersitygw(await context.scratch());
  context.defer(async () => server[Symbol.asyncDispose]());
  const folder = await server.makeBucket('cold');
  await server.makeBucket('restored');
  return { ...place, folder, env: { ...server.env, LACHESIS_BLOBS: 's3://cold/library' } };
}

/** The digest of what the command line exports of what is old. */
async function exportAll(context: ScenarioContext, place: HomePlace): Promise<string> {
  const file = join(await context.scratch(), 'all.jsonl');
  await runLachesis(place, 'data', 'export', 'jsonl', '--consent', 'keep', '--until', '20d', '-o', file);
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return `${lines.length} ${createHash('sha256').update(lines.join('\n')).digest('hex')}`;
}

async function countHot({ store }: Home): Promise<number> {
  const [turns, fates] = await Promise.all([
    store.db
      .selectFrom('turns')
      .select((eb) => eb.fn.countAll().as('count'))
      .where('cold_row', 'is', null)
      .executeTakeFirstOrThrow(),
    store.db
      .selectFrom('group_fates')
      .select((eb) => eb.fn.countAll().as('count'))
      .executeTakeFirstOrThrow(),
  ]);
  return Number(turns.count) + Number(fates.count);
}

async function judgeFiles(
  { store, blobs }: Home,
  path: string,
  wanted: { conversations: number; settled: number; waiting: number },
): Promise<string[]> {
  const { rows } = await askFiles({
    ...{ store, blobs, tenantId: TENANT },
    sql: `select (select count(*) from turns) as "turns in files",
      (select count(distinct (trajectory_id, turn_index)) from turns) as "turns in files, each once",
      (select count(*) from groups) as "groups in files",
      (select count(distinct group_id) from groups) as "groups in files, each once"`,
  });
  const { count: left } = await store.db
    .selectFrom('groups')
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  const turns = wanted.conversations * 2;
  const bars = {
    ...{ 'turns in files': turns, 'turns in files, each once': turns },
    ...{ 'groups in files': wanted.settled, 'groups in files, each once': wanted.settled },
    'groups in the database': wanted.waiting,
  };
  const counts: Record<string, unknown> = { ...rows[0], 'groups in the database': left };
  const { faults } = await verifyLibrary({ store, blobs, home: path });
  const wrong = Object.entries(bars).filter(([name, bar]) => Number(counts[name]) !== bar);
  return [...faults, ...wrong.map(([name, bar]) => `${String(counts[name])} ${name}, not ${bar}`)];
}

async function showRestored(context: ScenarioContext, place: HomePlace, before: string): Promise<void> {
  const folder = join(await context.scratch(), 'backup');
  await createBackup({ ...place, folder });
  const database = await createTestDatabase({ serverUrl: await findPostgresUrl(context), prefix: 'cold' });
  context.defer(() => database.drop());
  const target: HomePlace = {
    ...{ home: join(await context.scratch(), 'restored'), databaseUrl: database.url },
    ...(place.env === undefined ? {} : { env: { ...place.env, LACHESIS_BLOBS: 's3://restored/library' } }),
  };
  await restoreBackup({ ...target, folder });
  const after = await exportAll(context, target);
  context.report({
    name: 'restored elsewhere',
    figure: after === before ? 'the same bytes are exported' : `${after}, not ${before}`,
    bar: 'the same bytes',
    ok: after === before,
  });
}

async function showForgotten(context: ScenarioContext, { store, blobs }: Home): Promise<void> {
  const { trajectories } = await forgetTrajectories({ store, blobs, tenantId: TENANT, user: FORGOTTEN.user });
  const { rows } = await askFiles({
    ...{ store, blobs, tenantId: TENANT },
    sql: `select count(*) from turns where user_name = '${FORGOTTEN.user}' or contains(content, '${FORGOTTEN.word}')`,
  });
  const left = Number(Object.values(rows[0] ?? { none: Number.NaN })[0]);
  let unnamed = 0;
  for await (const { digest } of blobs.list()) {
    const known = await store.db.selectFrom('cold_files').select('digest').where('digest', '=', digest).execute();
    if (known.length === 0 && Buffer.from(await blobs.get(digest)).includes('PAR1')) unnamed += 1;
  }
  context.report({
    name: 'forgotten',
    figure: `${trajectories} conversations, ${left} of their turns in files, ${unnamed} files that nobody names`,
    bar: 'some, 0, 0',
    ok: trajectories > 0 && left === 0 && unnamed === 0,
  });
}

async function showDamage(context: ScenarioContext, place: ColdPlace, { store }: Home): Promise<void> {
  const { digest } = await store.db
    .selectFrom('cold_files')
    .select('digest')
    .where('kind', '=', 'turns')
    .executeTakeFirstOrThrow();
  const names = await readdir(place.folder, { recursive: true });
  await flipBit(join(place.folder, names.find((name) => name.endsWith(digest)) ?? digest));
  // Another machine, which has read nothing yet.
  await using elsewhere = await openHome(place.env === undefined ? place : { ...place, home: await context.scratch() });
  const { faults } = await verifyLibrary({ store, blobs: elsewhere.blobs, home: place.home });
  const read = await readContents(elsewhere).catch((error: unknown) => String(error));
  context.report({
    name: 'a flipped bit',
    figure: `${faults.length} found by verify, and an export says: ${read.slice(0, 60)}…`,
    bar: '1, and its digest',
    ok: faults.length === 1 && faults[0]?.includes(digest) === true && read.includes(digest),
  });
}

type Commit = Store['commit'];

/** Each a mover with one care left out; a commit that it changes. */
const MUTANTS: Record<string, (commit: Commit) => Commit> = {
  'turns point to their neighbour’s row': (commit) => (unit, options) =>
    commit(
      {
        statements: unit.statements.map((statement) => {
          if (!statement.query.sql.startsWith('update turns set payload')) return statement;
          const [digest, row, ...rest] = statement.query.parameters;
          return {
            ...statement,
            query: { ...statement.query, parameters: [digest, Math.max(0, Number(row) - 1), ...rest] },
          };
        }),
      },
      options,
    ),
  'a file that nobody refers to': (commit) => (unit, options) =>
    commit(
      { statements: unit.statements.filter(({ query }) => !query.sql.startsWith('insert into "blob_references"')) },
      options,
    ),
  'groups that stay beside their file': (commit) => (unit, options) =>
    commit(
      { statements: unit.statements.filter(({ query }) => !/^delete from "group(s|_fates)"/.test(query.sql)) },
      options,
    ),
};

/** Moves in a home of its own with a changed commit; the first thing that is wrong then. */
async function collect(context: ScenarioContext, change: (commit: Commit) => Commit): Promise<string | undefined> {
  const path = join(await context.scratch(), 'home');
  await using home = await openHome({ home: path });
  const { store } = home;
  const { waiting } = await fillHome(home, { groups: MUTANT_GROUPS, waitingEvery: 20, events: 10, records: 0 });
  await fillConversations(home, { count: MUTANT_CONVERSATIONS, days: 40, recorder: 'old' });
  await writeKeepPolicy({ store, tenantId: TENANT, policy: { hot: 30 } });
  const { db, dialect } = store;
  const commit = change((unit, options) => store.commit(unit, options));
  const mutant: Store = { db, dialect, commit, now: () => store.now(), close: () => store.close() };
  const before = await readContents(home);
  const { blobs } = await home.serveBlobs();
  try {
    await retain({ store: mutant, blobs });
    await collectHomeOrphans({ home: { store, blobs }, graceMs: 0 });
    if ((await readContents(home)) !== before) return 'what is read is not what was recorded';
    const wanted = { conversations: MUTANT_CONVERSATIONS, settled: MUTANT_GROUPS - waiting.length };
    return (await judgeFiles(home, path, { ...wanted, waiting: waiting.length }))[0];
  } catch (error) {
    return String(error);
  }
}

async function readContents({ store, blobs }: Home): Promise<string> {
  const digest = createHash('sha256');
  for await (const one of iterateTrajectories({ store, blobs, tenantId: TENANT, filter: {} })) {
    digest.update(JSON.stringify(one.turns));
  }
  return digest.digest('hex');
}
