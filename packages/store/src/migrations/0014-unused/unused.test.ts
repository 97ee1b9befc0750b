import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { describeOnEachEmptyDatabase } from '../../testing/test-stores.fixture.ts';
import { allMigrations } from '../all-migrations.ts';

const before = allMigrations.filter(({ number }) => number < 14);

describeOnEachEmptyDatabase('the tables and columns that nothing was ever written to', (createTarget) => {
  it('go, and what the version before wrote beside them stays as it was', async () => {
    await using target = await createTarget();
    const old = await target.open({ migrations: before });
    await sql`insert into groups (tenant_id, group_id, run_id, incarnation_id, position, door, attempt_id, sequence_count,
      token_count, longest_sequence, payload_digest, payload_bytes, outcome, split, consent, step_at_arrival, received_at)
      values ('t', 'g', 'r', 'i', 7, 'native', null, 2, 30, 20, 'abc', 99, 'scored', 'train', 'full', 3, 5)`.execute(
      old.db,
    );
    const groups = sql<Record<string, unknown>>`select * from groups`;
    const { attempt_id: attemptId, ...rest } = (await groups.execute(old.db)).rows[0]!;
    expect(attemptId).toBeNull();

    const store = await target.open();
    expect(await store.db.selectFrom('groups').selectAll().execute()).toEqual([rest]);
    // Asked by name: other schemas of the same server may be at the version before just now.
    for (const table of ['attempts', 'sequences']) {
      await expect(sql.raw(`select 1 from ${table}`).execute(store.db)).rejects.toThrow(/no such table|does not exist/);
    }
  });

  it('are missed by a server of the version before, which is refused and does not fail at its first group', async () => {
    await using target = await createTarget();
    await target.open();
    await expect(target.open({ migrations: before })).rejects.toThrow(/14/);
  });
});
