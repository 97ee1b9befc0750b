import type { StoreDialect } from '../migration.ts';

/** Minima, maxima and sums of stretches of 10, 100 and 1,000 steps, made for the points that are there already. */
export function createMetricBlocks(dialect: StoreDialect): string[] {
  return [
    `create table metric_blocks (
      tenant_id text not null,
      run_id text not null,
      series text not null,
      width bigint not null,
      block bigint not null,
      last_step bigint not null,
      points bigint not null,
      total double precision not null,
      lowest double precision,
      highest double precision,
      primary key (tenant_id, run_id, series, width, block)
    )${dialect === 'sqlite' ? ' without rowid' : ''}`,
    // The remainder is taken twice because that of a negative step is negative.
    `insert into metric_blocks (tenant_id, run_id, series, width, block, last_step, points, total, lowest, highest)
      select tenant_id, run_id, series, 10, (step - 1 - (((step - 1) % 10) + 10) % 10) / 10, max(step), count(value),
        sum(case when abs(value) > 1e-280 then value / 1099511627776.0 else 0 end), min(value), max(value)
      from metric_points group by 1, 2, 3, 5`,
    foldInto(100),
    foldInto(1000),
  ];
}

const foldInto = (width: 100 | 1000): string =>
  `insert into metric_blocks (tenant_id, run_id, series, width, block, last_step, points, total, lowest, highest)
    select tenant_id, run_id, series, ${width}, (block - ((block % 10) + 10) % 10) / 10, max(last_step), sum(points),
      sum(total), min(lowest), max(highest)
    from metric_blocks where width = ${width / 10} group by 1, 2, 3, 5`;
