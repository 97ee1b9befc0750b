import { StaleWriteError, StoreConflictError, StoreUnavailableError } from '@lachesis/store';
import { describe, expect, it } from 'vitest';
import { DatabaseClock } from './database-clock.ts';
import { createMemoryPersistence, MemoryDatabase } from './memory-database.fixture.ts';
import { acceptGroups, confirmReceipt, loseReceipt } from './queue/accept-groups.ts';
import { handOutBatch } from './queue/hand-out-batch.ts';
import { readLedger } from './queue/ledger.ts';
import { makeGroup, makeRegistration, makeRequest } from './queue/queue-bench.fixture.ts';
import { registerTrainer } from './queue/register-trainer.ts';
import { resetRun } from './queue/reset-run.ts';
import { DEFAULT_RULES, type Transaction } from './queue/transaction.ts';
import { RunDirectory } from './run-directory.ts';
import { RunQueue, type QueuePersistence, type RunQueueOptions } from './run-queue.ts';

type Commit = QueuePersistence['commit'];

/** One process over a database in memory; `commit` may be replaced for the next calls. */
function createProcess(
  database = new MemoryDatabase(),
  options: Partial<RunQueueOptions> & { isShared?: boolean } = {},
) {
  const { isShared = false, ...rest } = options;
  const real = createMemoryPersistence(database, { now: () => 5_000, isShared });
  const plan: ((real: Commit) => Commit)[] = [];
  const seen = { commits: 0, loads: 0, pauses: 0 };
  const persistence: QueuePersistence = {
    ...real,
    load: (run) => {
      seen.loads += 1;
      return real.load(run);
    },
    commit: (state, changes) => {
      seen.commits += 1;
      const next = plan.shift();
      return (next === undefined ? real.commit : next(real.commit))(state, changes);
    },
  };
  let id = 0;
  let clock = 0;
  const prefix = `p${database.commits}-${Math.random().toString(36).slice(2, 6)}`;
  const queue = new RunQueue({
    tenantId: 't',
    runName: 'default',
    persistence,
    clock: new DatabaseClock({ monotonic: () => clock }),
    rules: DEFAULT_RULES,
    nextId: () => `${prefix}-${++id}`,
    monotonic: () => clock,
    pause: async (ms) => {
      seen.pauses += 1;
      clock += ms;
    },
    ...rest,
  });
  return {
    queue,
    database,
    seen,
    /** What the next commits do instead. */
    plan,
    advance: (ms: number) => void (clock += ms),
  };
}

function push(groupId: string, request: Parameters<typeof makeRequest>[0] = {}) {
  return (transaction: Transaction) =>
    acceptGroups(transaction, makeRequest({ groups: [makeGroup(groupId, {})], ...request }));
}

const unavailable = (outcome: 'unknown' | 'nothing-written') =>
  new StoreUnavailableError({ detail: 'the server went away', outcome });
const fails = (error: Error) => (): Commit => () => Promise.reject(error);
/** The commit happens and its answer gets lost. */
const happensUnheard =
  (real: Commit): Commit =>
  async (state, changes) => {
    await real(state, changes);
    throw unavailable('unknown');
  };
/** The commit happens while the next one is under way, long after its caller gave up. */
const happensLate =
  (real: Commit, plan: ((real: Commit) => Commit)[]): Commit =>
  (state, changes) => {
    const copy = structuredClone({ ...state, statistics: null });
    const late = structuredClone(changes);
    plan.unshift((next) => async (nextState, nextChanges) => {
      await real({ ...nextState, ...copy, statistics: nextState.statistics }, late);
      return next(nextState, nextChanges);
    });
    return Promise.reject(unavailable('unknown'));
  };

describe('a run queue', () => {
  it('answers when the transaction is on disk and not before', async () => {
    const { queue, plan, database } = createProcess();
    const gate = Promise.withResolvers<void>();
    plan.push((real) => async (state, changes) => {
      await gate.promise;
      return real(state, changes);
    });
    let isAnswered = false;
    const answer = queue.execute(push('a')).then(() => (isAnswered = true));
    await new Promise(setImmediate);
    expect(isAnswered).toBe(false);
    gate.resolve();
    await answer;
    expect(database.groups.has('a')).toBe(true);
  });

  it('commits commands that wait together in one transaction', async () => {
    const { queue, database } = createProcess();
    await queue.execute(push('first'));
    await Promise.all(Array.from({ length: 50 }, (_, index) => queue.execute(push(`g${index}`))));
    expect(database.commits).toBeLessThanOrEqual(3);
    expect(queue.cached?.queue).toHaveLength(51);
  });

  it('commits nothing when nothing changed', async () => {
    const { queue, seen } = createProcess();
    await queue.execute(() => 'looked');
    expect(seen.commits).toBe(0);
  });

  it('decides an exclusive command in a transaction of its own', async () => {
    const { queue, database } = createProcess();
    await queue.execute(push('a'));
    const commits = database.commits;
    await Promise.all([
      queue.execute(push('b')),
      queue.execute((transaction) => resetRun(transaction, 'reset'), { isExclusive: true }),
      queue.execute(push('c')),
    ]);
    expect(database.commits).toBe(commits + 3);
    expect(queue.cached).toMatchObject({ ordinal: 1, version: 2, readyGroups: 1 });
  });
});

describe('a commit that fails', () => {
  it.each([
    ['because the database was away', unavailable('nothing-written')],
    ['because somebody else wrote first', new StaleWriteError({ statementIndex: 0, expectedRows: 1, actualRows: 0 })],
  ])('%s is decided again on fresh rows', async (_, error) => {
    const { queue, plan, seen, database } = createProcess();
    await queue.execute(push('a'));
    plan.push(fails(error));
    const loads = seen.loads;
    await queue.execute(push('b'));
    expect(seen.loads).toBe(loads + 1);
    expect(database.groups.size).toBe(2);
    expect(queue.cached?.record.counts.produced).toBe(2);
  });

  it('is not repeated when it did happen', async () => {
    const { queue, plan, seen, database } = createProcess();
    await queue.execute(push('a'));
    plan.push(happensUnheard);
    const result = await queue.execute(push('b'));
    expect(result.accepted).toMatchObject([{ groupId: 'b', status: 'received' }]);
    expect(seen.commits).toBe(2);
    expect(database.groups.size).toBe(2);
  });

  it('is not seen by a reader who needs what is on disk', async () => {
    const { queue, plan } = createProcess();
    await queue.execute(push('a'));
    const [entered, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    plan.push(() => async () => {
      entered.resolve();
      await release.promise;
      throw new Error('the database refuses for good');
    });
    const produced = () => queue.readCommitted((state) => readLedger(state).produced);
    const pushed = queue.execute(push('b')).catch(() => 'refused');
    await entered.promise;
    expect(await queue.read((state) => readLedger(state).produced)).toBe(2);
    const seen = produced();
    release.resolve();
    expect(await seen).toBe(1);
    expect(await pushed).toBe('refused');
    expect(await produced()).toBe(1);
  });

  it('is not repeated when it happens late, and is answered with the ids that are in the rows', async () => {
    const { queue, plan, database } = createProcess();
    await queue.execute((transaction) => registerTrainer(transaction, makeRegistration({ batchSize: 4 })));
    await queue.execute(push('a'));
    plan.push((real) => happensLate(real, plan));
    const handOut = await queue.execute((transaction) =>
      handOutBatch(transaction, { state: 'leased', owner: 'me', leaseMs: 1_000 }),
    );
    const rows = database.load({ tenantId: 't', runName: 'default' })?.batches;
    expect(rows).toHaveLength(1);
    expect(handOut.kind === 'batch' && handOut.batch.batchId).toBe(rows?.[0]?.batchId);
  });

  it('of a new run is not repeated when it happens late', async () => {
    const { queue, plan, database } = createProcess();
    plan.push((real) => happensLate(real, plan));
    await Promise.all([queue.execute(push('a')), queue.execute(push('b'))]);
    expect([...database.groups.keys()].sort()).toEqual(['a', 'b']);
    expect(queue.cached?.record.counts.produced).toBe(2);
  });

  it('is given up at the deadline of each command, with the error', async () => {
    const { queue, plan, seen } = createProcess();
    plan.push(...Array.from({ length: 50 }, () => fails(unavailable('nothing-written'))));
    const [short, long] = await Promise.allSettled([
      queue.execute(push('a'), { deadlineMs: 100 }),
      queue.execute(push('b'), { deadlineMs: 1_000 }),
    ]);
    expect(short.status).toBe('rejected');
    expect(StoreUnavailableError.isInstance((short as PromiseRejectedResult).reason)).toBe(true);
    expect(long.status).toBe('rejected');
    expect(seen.pauses).toBeLessThan(10);
    plan.length = 0;
    await queue.execute(push('c'));
    expect(queue.cached?.record.counts.produced).toBe(1);
  });

  it('for good is not tried again', async () => {
    const { queue, plan, seen } = createProcess();
    plan.push(fails(new Error('no such column')));
    await expect(queue.execute(push('a'))).rejects.toThrow('no such column');
    expect(seen.pauses).toBe(0);
    await queue.execute(push('b'));
  });

  it('on a key that exists fails its own command and no other', async () => {
    const { queue, database } = createProcess();
    await queue.execute(push('a', { idempotencyKey: 'taken' }));
    const results = await Promise.allSettled([
      queue.execute(push('b', { idempotencyKey: 'new' })),
      queue.execute(push('c', { idempotencyKey: 'taken' })),
      queue.execute(push('d')),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(StoreConflictError.isInstance((results[1] as PromiseRejectedResult).reason)).toBe(true);
    expect([...database.groups.keys()]).toEqual(['a', 'b', 'd']);
  });
});

describe('a key that is taken because another process moved on', () => {
  it('is decided again as often as that happens, all commands together', async () => {
    const { queue, plan, database, seen } = createProcess();
    await queue.execute(push('a'));
    const overtaken = (groupId: string) => (): Commit => async () => {
      const other = createProcess(database);
      await other.queue.execute(push(groupId));
      return Promise.reject(new StoreConflictError({ constraint: 'events' }));
    };
    plan.push(overtaken('x'), overtaken('y'), overtaken('z'));
    const commits = seen.commits;
    await Promise.all([queue.execute(push('b')), queue.execute(push('c'))]);
    expect([...database.groups.keys()].sort()).toEqual(['a', 'b', 'c', 'x', 'y', 'z']);
    expect(seen.commits).toBeLessThanOrEqual(commits + 5);
  });
});

describe('a decision that throws', () => {
  it('fails alone and leaves nothing behind', async () => {
    const { queue, database } = createProcess();
    const results = await Promise.allSettled([
      queue.execute(push('a')),
      queue.execute((transaction) => {
        push('half')(transaction);
        throw new Error('halfway');
      }),
      queue.execute(push('b')),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect([...database.groups.keys()]).toEqual(['a', 'b']);
    expect(queue.cached?.queue).toHaveLength(2);
  });
});

describe('two processes over one database', () => {
  it('both go on, each on what the other wrote', async () => {
    const database = new MemoryDatabase();
    const [one, two] = [createProcess(database, { isShared: true }), createProcess(database, { isShared: true })];
    await Promise.all([one.queue.execute(push('a')), two.queue.execute(push('b'))]);
    for (let round = 0; round < 5; round++) {
      await Promise.all([one.queue.execute(push(`one-${round}`)), two.queue.execute(push(`two-${round}`))]);
    }
    expect(database.groups.size).toBe(12);
    const positions = [...database.groups.values()].map((group) => group.position);
    expect(new Set(positions).size).toBe(12);
  });

  it('read what the other wrote within a moment', async () => {
    const database = new MemoryDatabase();
    const [one, two] = [createProcess(database, { isShared: true }), createProcess(database, { isShared: true })];
    const count = (process: typeof one) => process.queue.read((state) => readLedger(state).produced);
    await one.queue.execute(push('a'));
    expect(await count(two)).toBe(1);
    await one.queue.execute(push('b'));
    expect(await count(two)).toBe(1);
    two.advance(201);
    expect(await count(two)).toBe(2);
    await one.queue.execute((transaction) => resetRun(transaction, 'reset'), { isExclusive: true });
    two.advance(201);
    expect(await count(two)).toBe(0);
  });

  it('see a run that the other created', async () => {
    const database = new MemoryDatabase();
    const [one, two] = [createProcess(database, { isShared: true }), createProcess(database, { isShared: true })];
    expect(await two.queue.read((state) => state.version)).toBe(0);
    await one.queue.execute(push('a'));
    two.advance(201);
    await two.queue.execute(push('b'));
    expect(database.groups.size).toBe(2);
    expect(database.runs.size).toBe(1);
  });

  it('answer a transaction that changes nothing from what the other wrote', async () => {
    const database = new MemoryDatabase();
    const [one, two] = [createProcess(database, { isShared: true }), createProcess(database, { isShared: true })];
    const count = () => two.queue.execute((transaction) => transaction.state.readyGroups);
    expect(await count()).toBe(0);
    await one.queue.execute(push('a'));
    expect(await count()).toBe(1);
    await one.queue.execute(push('b'));
    expect(await count()).toBe(2);
    const { loads } = two.seen;
    expect(await count()).toBe(2);
    expect(two.seen.loads).toBe(loads);
  });

  it('tell a command that was overtaken until its deadline to come again, also where its keys were taken', async () => {
    for (const error of [
      new StaleWriteError({ statementIndex: 0, expectedRows: 1, actualRows: 0 }),
      new StoreConflictError({ constraint: 'events_pkey' }),
    ]) {
      const database = new MemoryDatabase();
      const [one, two] = [createProcess(database, { isShared: true }), createProcess(database, { isShared: true })];
      await two.queue.execute(push('first'));
      let groups = 0;
      // Before each of its commits the other server commits.
      const isOvertaken = (): Commit => async () => {
        await one.queue.execute(push(`other-${++groups}`));
        two.plan.push(isOvertaken);
        throw error;
      };
      two.plan.push(isOvertaken);
      const answer = two.queue.execute(push('late'), { deadlineMs: 2_000 });
      await expect(answer).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1, isRetryable: true });
    }
  });

  it('never ask about versions when the database is theirs alone', async () => {
    const { queue, seen, advance } = createProcess();
    await queue.execute(push('a'));
    advance(10_000);
    await queue.read((state) => state.version);
    expect(seen.loads).toBe(1);
  });
});

describe('the first load', () => {
  it('repeats its greeting until it is committed, and then never', async () => {
    const database = new MemoryDatabase();
    const earlier = createProcess(database);
    await earlier.queue.execute((transaction) => registerTrainer(transaction, makeRegistration({ batchSize: 4 })));
    await earlier.queue.execute(push('a'));

    let greetings = 0;
    const later = createProcess(database, {
      onFirstLoad: (transaction) => {
        greetings += 1;
        handOutBatch(transaction, { state: 'leased', owner: 'greeting', leaseMs: 1_000 });
      },
    });
    later.plan.push(fails(unavailable('nothing-written')));
    await later.queue.execute(push('b'));
    expect(greetings).toBe(2);
    later.plan.push(fails(unavailable('nothing-written')));
    await later.queue.execute(push('c'));
    expect(greetings).toBe(2);
    expect(database.load({ tenantId: 't', runName: 'default' })?.batches).toHaveLength(1);
  });

  it('takes back what an earlier life was sending, also when the first try to note it fails', async () => {
    const database = new MemoryDatabase();
    const open = (plan: ((real: Commit) => Commit)[] = []) => {
      const real = createMemoryPersistence(database, { now: () => 5_000 });
      let id = database.commits * 1_000;
      return new RunDirectory({
        persistence: {
          ...real,
          commit: (state, changes) => (plan.shift()?.(real.commit) ?? real.commit)(state, changes),
        },
        clock: new DatabaseClock(),
        rules: DEFAULT_RULES,
        nextId: () => `id-${++id}`,
        instanceId: 'this server',
        pause: async () => undefined,
      }).open('t', 'default').queue;
    };
    const before = open();
    await before.execute((transaction) => registerTrainer(transaction, makeRegistration({ batchSize: 4 })));
    await before.execute(push('a'));
    await before.execute((transaction) =>
      handOutBatch(transaction, { state: 'sending', owner: 'this server', leaseMs: 120_000 }),
    );
    const after = open([fails(unavailable('nothing-written'))]);
    expect(await after.read((state) => readLedger(state))).toMatchObject({ formed: 1, leased: 0 });
  });
});

describe('what is deferred to the next transaction', () => {
  it('is written with the next transaction, or by itself after a moment', async () => {
    const { queue, database } = createProcess();
    const { receiptId } = await queue.execute(push('a', { receiptId: 'r' }));
    queue.defer((transaction) => confirmReceipt(transaction, receiptId ?? ''));
    await queue.execute(push('b'));
    expect(database.commits).toBe(2);
    expect(database.load({ tenantId: 't', runName: 'default' })?.receipts).toEqual([]);

    await queue.execute(push('c', { receiptId: 'r2' }));
    queue.defer((transaction) => confirmReceipt(transaction, 'r2'));
    await new Promise(setImmediate);
    await queue.settle();
    expect(database.load({ tenantId: 't', runName: 'default' })?.receipts).toEqual([]);
  });

  it('is not lost when the transaction it rode with is decided again', async () => {
    const { queue, database, plan } = createProcess();
    await queue.execute(push('a', { receiptId: 'r' }));
    plan.push(fails(unavailable('nothing-written')));
    queue.defer((transaction) => confirmReceipt(transaction, 'r'));
    await queue.execute(push('b'));
    expect(database.load({ tenantId: 't', runName: 'default' })?.receipts).toEqual([]);
  });
});

describe('receipts across a reload', () => {
  const twins = async (isAnswering: boolean) => {
    const { queue, plan, database } = createProcess(new MemoryDatabase(), { isAnswering: () => isAnswering });
    await queue.execute(push('a', { receiptId: 'r1', bodyDigest: 'same' }));
    plan.push(fails(unavailable('nothing-written')));
    await queue.execute(push('reloads the queue'));
    const { replayed } = await queue.execute(push('b', { receiptId: 'r2', bodyDigest: 'same' }));
    return { replayed, stored: database.groups.size - 1 };
  };

  it('are still open while this process answers: an equal body is another group', async () => {
    expect(await twins(true)).toEqual({ replayed: false, stored: 2 });
  });

  it('are lost when nobody answers them: an equal body is the retry', async () => {
    expect(await twins(false)).toEqual({ replayed: true, stored: 1 });
  });

  it('stay lost once they are', async () => {
    const { queue } = createProcess();
    await queue.execute(push('a', { receiptId: 'r1', bodyDigest: 'same' }));
    await queue.execute((transaction) => loseReceipt(transaction, 'r1'));
    expect((await queue.execute(push('b', { receiptId: 'r2', bodyDigest: 'same' }))).replayed).toBe(true);
  });
});
