import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { collectHomeOrphans, openStore } from '@lachesis/store';
import { openHomeBlobs } from '../../../../packages/store/src/home/open-home.ts';

import { createTestDatabase } from '../../../kit/create-test-database.ts';
import { findQuietPort } from '../../../kit/find-quiet-port.ts';
import { findPostgresUrl } from '../../../peers/postgres/find-postgres-url.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { startSubject, type Subject } from '../../trajectory-api/subject/start-subject.ts';
import { agePayloads, countGone, listPayloads, pushGroups, readQuarantined, trainOnAll } from '../payloads.ts';
import { startRefused } from '../start-refused.ts';

const GROUPS = 5;

/** Databases and folders that do not belong together, and those that do. */
export const foldersScenario: Scenario = {
  name: 'folders',
  title:
    'a database meets the payloads of another, none, a copy, its own elsewhere: refused or served, and none is gone',
  async run(context) {
    const serverUrl = await findPostgresUrl(context);
    const root = await context.scratch();
    await Promise.all([
      showSqlite(context, join(root, 'sqlite'), serverUrl),
      showPostgres(context, join(root, 'pg'), serverUrl),
    ]);
  },
};

type Start = (home: string) => Promise<Subject>;

/** Two databases on one home; unmarked; copied. */
async function showSqlite(context: ScenarioContext, root: string, serverUrl: string): Promise<void> {
  const home = join(root, 'home');
  await mkdir(home, { recursive: true });
  const start = await prepareStart(context);
  const stranger = await createTestDatabase({ serverUrl, prefix: 'home' });
  context.defer(() => stranger.drop());
  const server = await start(home);
  const acknowledged = await pushGroups(server.port, numbersFrom(0));
  await server.end();
  await agePayloads(home);
  const before = await listPayloads(home);

  const marked = await startRefused({ home, databaseUrl: stranger.url, port: await findQuietPort() });
  context.report({
    name: 'two databases on one home',
    figure: `${acknowledged.length} acknowledged, ${await countGone(home, before)} gone, the second ${describe(marked.isFinal)}`,
    bar: `${GROUPS} acknowledged, 0 gone, refused once, with how to move`,
    ok:
      acknowledged.length === GROUPS &&
      (await countGone(home, before)) === 0 &&
      marked.isFinal &&
      marked.text.includes('belong to another database') &&
      marked.text.includes('lachesis data export'),
  });

  await forgetLibrary(home);
  const unmarked = await startRefused({ home, databaseUrl: stranger.url, port: await findQuietPort() });
  const adopter = await start(home);
  const collected = await collectNow(home);
  await cp(home, join(root, 'copy'), { recursive: true });
  const trained = await trainOnAll(adopter.port);
  await adopter.end();
  context.report({
    name: 'a home from before there were markers',
    figure: `a stranger ${describe(unmarked.isFinal)}; its own database adopts it: ${collected} collected, ${trained.length} of ${GROUPS} served`,
    bar: `refused once, 0 collected, ${GROUPS} served`,
    ok:
      unmarked.isFinal &&
      unmarked.text.includes('this database knows none of them') &&
      collected === 0 &&
      trained.length === GROUPS,
  });

  const copied = await start(join(root, 'copy'));
  const fromCopy = await trainOnAll(copied.port);
  await copied.end();
  context.report({
    name: 'a home copied with its SQLite',
    figure: `${fromCopy.length} of ${GROUPS} served from the copy`,
    bar: `${GROUPS}`,
    ok: fromCopy.length === GROUPS,
  });
}

/** An empty home, a copy that was left behind, a move, two servers on one home. */
async function showPostgres(context: ScenarioContext, root: string, serverUrl: string): Promise<void> {
  const [home, empty, copy, moved] = ['home', 'empty', 'copy', 'moved'].map((name) => join(root, name)) as [
    string,
    string,
    string,
    string,
  ];
  await mkdir(home, { recursive: true });
  const database = await createTestDatabase({ serverUrl, prefix: 'home' });
  context.defer(() => database.drop());
  const start = await prepareStart(context, database.url);
  const first = await start(home);
  const acknowledged = await pushGroups(first.port, numbersFrom(100));
  const elsewhere = await startRefused({ home: empty, databaseUrl: database.url, port: await findQuietPort() });
  context.report({
    name: 'an empty home for a database with payloads',
    figure: `${describe(elsewhere.isFinal)}, ${await readQuarantined(first.port)} of ${acknowledged.length} quarantined`,
    bar: 'refused once, 0 quarantined',
    ok:
      elsewhere.isFinal && elsewhere.text.includes('the folder is empty') && (await readQuarantined(first.port)) === 0,
  });
  await first.end();

  await cp(home, copy, { recursive: true });
  const again = await start(home);
  const stale = await startRefused({ home: copy, databaseUrl: database.url, port: await findQuietPort() });
  await again.end();
  await rename(home, moved);
  const [left, right] = await Promise.all([start(moved), start(moved)]);
  acknowledged.push(...(await pushGroups(left.port, numbersFrom(200))));
  acknowledged.push(...(await pushGroups(right.port, numbersFrom(300))));
  await agePayloads(moved);
  const collected = await collectNow(moved, database.url);
  context.report({
    name: 'a copy that was left behind',
    figure: describe(stale.isFinal),
    bar: 'refused once',
    ok: stale.isFinal && stale.text.includes('a copy that was left behind'),
  });
  // One server pushes and settles, the other only hands out: each has to know what the other wrote.
  const trained = await trainOnAll(right.port, left.port);
  await Promise.all([left.end(), right.end()]);
  context.report({
    name: 'a home moved, aged, and shared by two servers',
    figure: `${acknowledged.length} acknowledged, ${collected} collected, ${trained.length} leased at one and acknowledged at the other`,
    bar: `${3 * GROUPS} acknowledged, 0 collected, ${3 * GROUPS} trained`,
    ok: acknowledged.length === 3 * GROUPS && collected === 0 && trained.length === 3 * GROUPS,
  });
}

const numbersFrom = (first: number): number[] => Array.from({ length: GROUPS }, (_, index) => first + index);

const describe = (isFinal: boolean): string => (isFinal ? 'refused once' : 'not refused, or again and again');

async function prepareStart(context: ScenarioContext, databaseUrl?: string): Promise<Start> {
  return async (home) => {
    const place = databaseUrl === undefined ? {} : { databaseUrl };
    const subject = await startSubject({ port: await findQuietPort(), home, ...place });
    context.defer(() => subject.end());
    return subject;
  };
}

/** What the collector of a server does an hour after its start. */
async function collectNow(home: string, databaseUrl?: string): Promise<number> {
  const store = await openStore(
    databaseUrl === undefined ? { sqlitePath: join(home, 'lachesis.db') } : { databaseUrl },
  );
  try {
    const { blobs } = await openHomeBlobs({ store, home });
    return (await collectHomeOrphans({ home: { store, blobs } })).removedBlobs;
  } finally {
    await store.close();
  }
}

/** As a version without markers left it. */
async function forgetLibrary(home: string): Promise<void> {
  const store = await openStore({ sqlitePath: join(home, 'lachesis.db') });
  try {
    await store.db.deleteFrom('library').execute();
  } finally {
    await store.close();
  }
  await rm(join(home, 'blobs', '.library'));
}
