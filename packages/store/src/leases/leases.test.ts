import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { LeaseLostError } from '../errors/lease-lost-error.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { acquireLease, renewLease } from './acquire-lease.ts';
import { fence } from './fence.ts';
import { holdLease } from './hold-lease.ts';
import { keyOf, leaseCommands, type Model, type Real } from './lease-commands.fixture.ts';

const RUNS = 40;

function mustHold<T extends object>(held: T | { heldBy: string }): T {
  if ('heldBy' in held) throw new Error('somebody has it');
  return held;
}

describeOnEachDialect('a lease', (createTarget) => {
  it('is with one holder at a time, and only what that one writes is kept', { timeout: 60_000 }, async () => {
    await using target = await createTarget();
    const stores = [await target.open(), await target.open()] as const;
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(leaseCommands, async (given) => {
        const real: Real = { stores, resource: `thing ${(runs += 1)}` };
        const model: Model = { holder: null, epoch: 0, isExpired: false, granted: [], written: undefined };
        await fc.asyncModelRun(() => ({ model, real }), given);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  it('ends by the database’s clock, and says to its holder that it has ended', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const lease = mustHold(await acquireLease({ store, ...keyOf('thing'), holder: 'a', seconds: 60 }));
    expect(await acquireLease({ store, ...keyOf('thing'), holder: 'b', seconds: 60 })).toEqual({ heldBy: 'a' });
    // Run out twice; nobody has taken it, so it goes on.
    for (const seconds of [0.01, 0.01]) {
      await renewLease({ store, lease, seconds });
      await sleep(50);
    }
    expect(await acquireLease({ store, ...keyOf('thing'), holder: 'b', seconds: 60 })).toMatchObject({ epoch: 2 });
    await expect(renewLease({ store, lease, seconds: 60 })).rejects.toThrow(
      'The lease on record-training thing is not with a in epoch 1 any more',
    );
  });

  it('is renewed while it is kept, given back at the end, and its loss is told', { timeout: 15_000 }, async () => {
    await using target = await createTarget();
    const store = await target.open();
    const options = { store, ...keyOf('thing'), seconds: 2 };
    {
      await using kept = mustHold(await holdLease({ ...options, holder: 'a' }));
      await sleep(2_500);
      expect(await holdLease({ ...options, holder: 'b' })).toEqual({ heldBy: 'a' });
      expect(kept.signal.aborted).toBe(false);
    }
    await using next = mustHold(await holdLease({ ...options, holder: 'b' }));
    await acquireLease({ ...options, holder: 'c', seconds: 60, isGone: () => true });
    await expect.poll(() => next.signal.reason, { timeout: 5_000 }).toSatisfy(LeaseLostError.isInstance);
  });

  it('lets no write past its fence', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const lease = mustHold(await acquireLease({ store, ...keyOf('thing'), holder: 'a', seconds: 60 }));
    const { db } = fence({ store, lease });
    expect(await db.selectFrom('leases').select('holder').execute()).toEqual([{ holder: 'a' }]);
    await expect(db.deleteFrom('leases').execute()).rejects.toThrow('not fenced');
    await expect(db.transaction().execute(() => Promise.resolve())).rejects.toThrow('not fenced');
    // Which of its statements found other rows is told in the caller's own count.
    const query = db.deleteFrom('runs').compile();
    const stale = fence({ store, lease }).commit({ statements: [{ query }, { query, expectRows: 1 }] });
    await expect(stale).rejects.toMatchObject({ name: 'StaleWriteError', statementIndex: 1 });
  });
});
