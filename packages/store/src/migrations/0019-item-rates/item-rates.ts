import type { Migration } from '../migration.ts';

/** How often each item of an environment was answered rightly of late, so that a curriculum outlives its process. */
export const itemRatesMigration: Migration = {
  number: 19,
  name: 'item-rates',
  // Only adds a table: older servers go on beside it and keep no rates.
  minReader: 1,
  statements: () => [
    `create table item_rates (
      tenant_id text not null,
      run_id text not null,
      environment text not null,
      item text not null,
      rollouts double precision not null,
      passed double precision not null,
      recorded_at bigint not null,
      primary key (tenant_id, run_id, environment, item)
    )`,
  ],
};
