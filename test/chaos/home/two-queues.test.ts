import { createIdSource } from '@lachesis/protocol';
import { openStore, type Store } from '@lachesis/store';
import { expect, it } from 'vitest';

import { DatabaseClock } from '../../../packages/server/src/trajectory-api/database-clock.ts';
import { acceptGroups } from '../../../packages/server/src/trajectory-api/queue/accept-groups.ts';
import { finishBatch, handOutBatch } from '../../../packages/server/src/trajectory-api/queue/hand-out-batch.ts';
import {
  makeGroup,
  makeRegistration,
  makeRequest,
} from '../../../packages/server/src/trajectory-api/queue/queue-bench.fixture.ts';
import { registerTrainer } from '../../../packages/server/src/trajectory-api/queue/register-trainer.ts';
import { DEFAULT_RULES, type Transaction } from '../../../packages/server/src/trajectory-api/queue/transaction.ts';
import { RunQueue } from '../../../packages/server/src/trajectory-api/run-queue.ts';
import { createStorePersistence } from '../../../packages/server/src/trajectory-api/store-persistence.ts';
import { createTestDatabase } from '../../kit/create-test-database.ts';

const serverUrl = process.env['DATABASE_URL_TEST'];

function openQueue(store: Store): RunQueue {
  const clock = new DatabaseClock({ monotonic: () => performance.now() });
  const ids = createIdSource();
  const persistence = createStorePersistence(store, clock);
  return new RunQueue({
    tenantId: 't',
    runName: 'r',
    persistence,
    clock,
    rules: DEFAULT_RULES,
    nextId: () => ids.next(),
  });
}

const push = (groupId: string) => (transaction: Transaction) =>
  acceptGroups(
    transaction,
    makeRequest({ groups: [makeGroup(groupId, { sequenceCount: 4 })], idempotencyKey: groupId }),
  );

it.skipIf(serverUrl === undefined)(
  'two queues over one PostgreSQL: what one wrote the other knows, also where it changes nothing',
  async () => {
    await using database = await createTestDatabase({ serverUrl: serverUrl ?? '' });
    await using stores = {
      one: await openStore({ databaseUrl: database.url }),
      two: await openStore({ databaseUrl: database.url }),
      async [Symbol.asyncDispose]() {
        await Promise.all([this.one.close(), this.two.close()]);
      },
    };
    const [one, two] = [openQueue(stores.one), openQueue(stores.two)];
    await one.execute((transaction) => registerTrainer(transaction, makeRegistration({ batchSize: 4 })));
    const waiting = (queue: RunQueue) => queue.execute((transaction) => transaction.state.readyGroups);
    expect(await waiting(two)).toBe(0);
    await one.execute(push('a'));
    expect(await waiting(two)).toBe(1);

    // Leased at one, settled at the other, as behind a balancer that goes round.
    expect(await waiting(one)).toBe(1);
    const leased = await two.execute((transaction) =>
      handOutBatch(transaction, { state: 'leased', owner: 'trainer', leaseMs: 60_000 }),
    );
    if (leased.kind !== 'batch') throw new Error('there was no batch');
    const { batchId, epoch } = leased.batch;
    const settled = await one.execute((transaction) =>
      finishBatch(transaction, { batchId, epoch, fate: 'trained', step: 1 }),
    );
    expect(settled.kind).toBe('held');

    // Both write at once, and nothing is refused or lost.
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    await Promise.all(numbers.map((number) => (number % 2 === 0 ? one : two).execute(push(`g${number}`))));
    expect(await waiting(one)).toBe(20);
    expect(await waiting(two)).toBe(20);
  },
  60_000,
);
