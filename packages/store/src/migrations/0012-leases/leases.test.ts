import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openStepLedger } from '../../training/step-ledger.ts';
import { createIdSource } from '@lachesis/protocol';
import { acquireImprovement, advanceImprovement } from '../../improvements/hold-improvement.ts';
import { acquireLease } from '../../leases/acquire-lease.ts';
import { fence } from '../../leases/fence.ts';
import { findTrainingRun } from '../../supervision/find-training-runs.ts';
import { acquireRunLease } from '../../supervision/run-lease.ts';
import { noteRunEvent } from '../../supervision/write-run.ts';
import { describeOnEachEmptyDatabase } from '../../testing/test-stores.fixture.ts';
import { allMigrations } from '../all-migrations.ts';

const before = allMigrations.filter(({ number }) => number < 12);
const tenantId = 't';

describeOnEachEmptyDatabase('leases of the version before', (createTarget) => {
  it('stay with their holders, in their epochs, until the moment they had', async () => {
    await using target = await createTarget();
    const old = await target.open({ migrations: before });
    const now = await old.now();
    const far = now + 600_000;
    const run = (id: string, ended: number | null, lease: string) =>
      sql
        .raw(`insert into training_runs (tenant_id, run_id, short_id, environment, state, config, details, created_at, ended_at,
        changed_at, event_cursor, event_hash, epoch, holder, lease_expires_at)
        values ('t', '${id}', '${id}', 'toy', 'pending', '{}', '{}', 1, ${ended}, 1, 0, '', ${lease})`)
        .execute(old.db);
    await run('live', null, `3, 'old-server', ${far}`);
    await run('free', null, '2, null, null');
    await run('fresh', null, '0, null, null');
    const improvement = (id: string, lease: string) =>
      sql
        .raw(`insert into improvements (tenant_id, improvement_id, model, plan, stage, created_at, changed_at, epoch, holder,
        lease_expires_at) values ('t', '${id}', '${id}', '{}', 'collect', 1, 1, ${lease})`)
        .execute(old.db);
    await improvement('improving', `5, 'old-improver', ${far}`);
    await improvement('stopped', `1, 'old-improver', ${now - 1}`);
    const claim = (run_: string, holder: string, at: number) =>
      sql
        .raw(`insert into settings (tenant_id, scope, name, value, origin, updated_at)
        values ('t', 'claim', '${run_}', 'null', '${holder}', ${at})`)
        .execute(old.db);
    await claim('training', 'old-trainer', now + 300_000);
    await claim('silent', 'old-trainer', now - 61_000);
    await claim('released', '', now);

    const store = await target.open();
    const ask = { store, tenantId, holder: 'new', seconds: 60 };
    expect(await findTrainingRun({ store, tenantId, runId: 'live' })).toMatchObject({
      ...{ holder: 'old-server', epoch: 3, leaseExpiresAt: far },
    });
    expect(await acquireRunLease({ ...ask, runId: 'live' })).toBeUndefined();
    expect(await acquireRunLease({ ...ask, runId: 'free' })).toMatchObject({ lease: { epoch: 3 } });
    expect(await acquireRunLease({ ...ask, runId: 'fresh' })).toMatchObject({ lease: { epoch: 1 } });
    expect(await acquireImprovement({ ...ask, improvementId: 'improving' })).toBeUndefined();
    expect(await acquireImprovement({ ...ask, improvementId: 'stopped' })).toMatchObject({ lease: { epoch: 2 } });
    const training = { ...ask, kind: 'record-training' } as const;
    expect(await acquireLease({ ...training, resource: 'training' })).toEqual({ heldBy: 'old-trainer' });
    expect(await acquireLease({ ...training, resource: 'silent' })).toMatchObject({ epoch: 2 });
    expect(await acquireLease({ ...training, resource: 'released' })).toMatchObject({ epoch: 2 });
    expect(await store.db.selectFrom('settings').selectAll().where('scope', '=', 'claim').execute()).toEqual([]);

    // Their holders are fenced like any other once they are taken over.
    const isGone = (): boolean => true;
    await acquireRunLease({ ...ask, runId: 'live', isGone });
    await acquireImprovement({ ...ask, improvementId: 'improving', isGone });
    await acquireLease({ ...training, resource: 'training', isGone });
    const stale = { tenantId, holder: 'old-server', epoch: 3 } as const;
    const note = { store, lease: { ...stale, kind: 'supervision', resource: 'live' }, kind: 'late', data: {} } as const;
    const moved = { from: 'collect', content: {}, to: { stage: 'filter' } };
    const improver = {
      tenantId,
      kind: 'improvement',
      resource: 'improving',
      holder: 'old-improver',
      epoch: 5,
    } as const;
    const trainer = {
      tenantId,
      kind: 'record-training',
      resource: 'training',
      holder: 'old-trainer',
      epoch: 1,
    } as const;
    const ledger = openStepLedger({
      ...{ store: fence({ store, lease: trainer }), tenantId, runId: 'training', incarnationId: 'training' },
      ids: createIdSource(),
    });
    const writes = [
      noteRunEvent(note),
      advanceImprovement({ store, lease: improver, ...moved }),
      ledger.open({ step: 1, batchId: 'b', epoch: 1, groupCount: 1 }),
    ];
    for (const result of await Promise.allSettled(writes)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { name: 'LeaseLostError' } });
    }
  });

  it('are not looked for in the old places by a server that is still running', async () => {
    await using target = await createTarget();
    const old = await target.open({ migrations: before });
    await target.open({ migrations: allMigrations.filter(({ number }) => number <= 12) });
    const renew = sql`update training_runs set lease_expires_at = 1 where epoch = 1`.execute(old.db);
    await expect(renew).rejects.toThrow(/lease_expires_at|epoch/);
    await expect(target.open({ migrations: before })).rejects.toThrow(/12/);
  });
});
