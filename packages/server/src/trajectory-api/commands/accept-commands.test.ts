import { expect, test } from 'vitest';
import { readTrajectoryApiSettings } from '../../http/settings/trajectory-api-settings.ts';
import { DatabaseClock } from '../database-clock.ts';
import { createMemoryPersistence, MemoryDatabase } from '../memory-database.fixture.ts';
import { makeGroup } from '../queue/queue-bench.fixture.ts';
import { DEFAULT_RULES } from '../queue/transaction.ts';
import type { RunOwner } from '../replicas/run-owner.ts';
import { RunDirectory } from '../run-directory.ts';
import { pushPlain, settleReceipt, type PlainPush } from './accept-commands.ts';
import type { CommandContext } from './command.ts';

/** The owner of a run, to which other servers hand what they are sent; those in `away` were killed. */
function openOwned(away: readonly string[] = []) {
  const database = new MemoryDatabase();
  const clock = { now: 0 };
  let ids = 0;
  const nextId = (): string => `id-${(ids += 1)}`;
  const run = new RunDirectory({
    persistence: createMemoryPersistence(database, { now: () => 1_000 }),
    clock: new DatabaseClock({ monotonic: () => 0 }),
    ...{ rules: DEFAULT_RULES, nextId, instanceId: 'here', monotonic: () => 0 },
  }).open('local', 'a');
  const asked: string[] = [];
  const owner: Partial<RunOwner> = {
    isAway: async (server) => {
      asked.push(server);
      return away.includes(server);
    },
  };
  run.owner = owner as RunOwner;
  const { values: settings } = readTrajectoryApiSettings({}, {});
  const context: CommandContext = { run, settings, monotonic: () => clock.now, silentMs: null };
  const push = (answeredBy: string, receiptId = nextId(), late: Partial<PlainPush> = {}) =>
    pushPlain(context, {
      ...{ shape: 'one', groups: [makeGroup(nextId(), {})], bodyDigest: 'same', receiptId, answeredBy },
      ...{ deadlineMs: 1_000, ...late },
    });
  return { context, database, clock, asked, push };
}

test('what one server of the run is answering is another group when a second is sent the same', async () => {
  const { asked, push, database } = openOwned();
  await push('first');
  expect((await push('second')).replayed).toBe(false);
  expect([asked, database.groups.size]).toEqual([['first'], 2]);
});

test('what a server was answering that was killed is a retry at the next one, before anybody has heard of it', async () => {
  const { asked, push, database } = openOwned(['first']);
  const { reply } = await push('first');
  expect(await push('second')).toMatchObject({ replayed: true, reply });
  expect([asked, database.groups.size]).toEqual([['first'], 1]);
});

test('a reply that was given up before its push was decided is a retry from the beginning', async () => {
  const { context, push, database } = openOwned();
  await settleReceipt(context, { receiptId: 'slow', isFlushed: false, isForwarded: true });
  await push('first', 'slow');
  expect((await push('second')).replayed).toBe(true);
  expect(database.groups.size).toBe(1);
});

test('a push that is decided behind its own retry, whose sender has long gone, is not stored once more', async () => {
  const { context, clock, push, database } = openOwned();
  clock.now = 500;
  const { receiptId } = await push('here');
  await settleReceipt(context, { receiptId: receiptId ?? '', isFlushed: true });
  clock.now = 600;
  await expect(push('here', 'slow', { begunMsAgo: 600, hadHungUp: true })).rejects.toThrow('has sent the same again');
  expect(database.groups.size).toBe(1);
});

test('so is one whose server was killed behind it; while that lives, it is another group', async () => {
  for (const [away, groups] of [
    [['first'], 1],
    [[], 2],
  ] as const) {
    const { clock, push, database } = openOwned(away);
    clock.now = 500;
    await push('second');
    clock.now = 600;
    const late = push('first', 'slow', { begunMsAgo: 600 });
    if (groups === 1) await expect(late).rejects.toMatchObject({ code: 'unavailable' });
    else await late;
    expect(database.groups.size).toBe(groups);
  }
});

test.each([
  ['nobody sent the same since', 100],
  ['the same was decided before it came', 50],
])('one whose sender has gone is stored where %s', async (_, begunMsAgo) => {
  const { clock, push, database } = openOwned();
  if (begunMsAgo === 50) await push('here');
  const before = database.groups.size;
  clock.now = 100;
  await push('here', 'gone', { begunMsAgo, hadHungUp: true });
  expect(database.groups.size).toBe(before + 1);
});

test('a push that is decided anew is not behind itself, though its sender has gone meanwhile', async () => {
  const { clock, push, database } = openOwned();
  clock.now = 100;
  await push('here', 'slow', { begunMsAgo: 100 });
  clock.now = 200;
  expect((await push('here', 'slow', { begunMsAgo: 200, hadHungUp: true })).replayed).toBe(true);
  expect(database.groups.size).toBe(1);
});

test('of decided bodies the newest are remembered', async () => {
  const { context, push } = openOwned();
  for (let index = 0; index < 16_384; index += 1) context.run.decided.set(String(index), { receiptId: null, at: 0 });
  await push('here');
  expect([context.run.decided.size, context.run.decided.has('0')]).toEqual([16_384, false]);
});
