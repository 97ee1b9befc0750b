import type { Migration } from '../migration.ts';

/**
 * One table of leases. Those of supervisors and improvements come from columns, those of training on records from rows of the
 * settings; each stays with its holder, in its epoch, until the moment it had.
 */
export const leasesMigration: Migration = {
  number: 12,
  name: 'leases',
  // A server that still looks for leases in the old places would look after runs that somebody has.
  minReader: 12,
  statements: () => [
    `create table leases (
      tenant_id text not null,
      kind text not null,
      resource text not null,
      holder text,
      epoch bigint not null,
      lease_expires_at bigint,
      primary key (tenant_id, kind, resource)
    )`,
    `insert into leases (tenant_id, kind, resource, holder, epoch, lease_expires_at)
      select tenant_id, 'supervision', run_id, holder, epoch, lease_expires_at from training_runs where epoch > 0`,
    `insert into leases (tenant_id, kind, resource, holder, epoch, lease_expires_at)
      select tenant_id, 'improvement', improvement_id, holder, epoch, lease_expires_at from improvements where epoch > 0`,
    // Such a row had its owner in "origin", the moment of its last renewal, and no epoch; it held for 60 seconds.
    `insert into leases (tenant_id, kind, resource, holder, epoch, lease_expires_at)
      select tenant_id, 'record-training', name, nullif(origin, ''), 1,
        case when origin = '' then null else updated_at + 60000 end
      from settings where scope = 'claim'`,
    // A process of the version before that is still running finds its lease gone, and its writes about it refused.
    "delete from settings where scope = 'claim'",
    ...['training_runs', 'improvements'].flatMap((table) =>
      ['epoch', 'holder', 'lease_expires_at'].map((column) => `alter table ${table} drop column ${column}`),
    ),
  ],
};
