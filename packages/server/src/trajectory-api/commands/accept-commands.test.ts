import { expect, test } from 'vitest';
import { readTrajectoryApiSettings } from '../../http/settings/trajectory-api-settings.ts';
import { DatabaseClock } from '../database-clock.ts';
import { createMemoryPersistence, MemoryDatabase } from '../memory-database.fixture.ts';
import { makeGroup } from '../queue/queue-bench.fixture.ts';
import { DEFAULT_RULES } from '../queue/transaction.ts';
import type { RunOwner } from '../replicas/run-owner.ts';
import { RunDirectory } from '../run-directory.ts';
import { pushPlain, settleReceipt } from './accept-commands.ts';
import type { CommandContext } from './command.ts';

/** The owner of a run, to which other servers hand what they are sent; those in `away` were killed. */
function openOwned(away: readonly string[] = []) {
  const database = new MemoryDatabase();
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
  const context: CommandContext = { run, settings, monotonic: () => 0, silentMs: null };
  const push = (answeredBy: string, receiptId = nextId()) =>
    pushPlain(context, {
      ...{ shape: 'one', groups: [makeGroup(nextId(), {})], bodyDigest: 'same', receiptId, answeredBy },
      deadlineMs: 1_000,
    });
  return { context, database, asked, push };
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
