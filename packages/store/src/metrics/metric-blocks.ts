import { sql, type RawBuilder } from 'kysely';
import type { Store, WriteStatement } from '../database/store.ts';

/** One value of a series at a step; null where the number was not finite. */
export interface MetricPoint {
  series: string;
  step: number;
  at: number;
  /** Null for NaN and infinities, which are no measurements. */
  value: number | null;
}

/** The run whose metrics are meant, and in which database. */
export interface MetricScope {
  store: Store;
  tenantId: string;
  runId: string;
}

/** Each is made of ten of the one before. */
export const BLOCK_WIDTHS = Object.freeze([10, 100, 1_000] as const);
const WIDEST = 1_000;

/** What `total` is divided by. Exact, and room for 10^12 points as large as a number can be. */
const SCALE = 2 ** 40;

/** A sum that neither overflows nor underflows, both of which PostgreSQL refuses: `toMean` brings it back. */
export const scaledSum: RawBuilder<number> = sql<number>`
  sum(case when abs(value) > 1e-280 then value / ${sql.lit(SCALE)}.0 else 0 end)`;

export const toMean = (total: number, points: number): number | null =>
  points === 0 ? null : (total / points) * SCALE;

/** The block that holds a step. Runs count from 1, so that the first hundred steps are one block and not two. */
export const blockOf = (step: number, width: number): number => Math.floor((step - 1) / width);

/** A whole number as SQLite sees it: what is bound as it is would be divided as a fraction. */
const whole = (value: number): RawBuilder<number> => sql<number>`cast(${value} as bigint)`;

/** The points of one widest block, and which of its steps they touch. */
interface Touched {
  block: number;
  series: Set<string>;
  first: number;
  last: number;
}

/**
 * What keeps the blocks true to their points, around the statements that write these. `before` takes each widest block:
 * two writers that each summed up what they could see of it would leave out what the other wrote.
 */
export function planBlocks(
  scope: MetricScope,
  points: readonly MetricPoint[],
): { before: WriteStatement[]; after: WriteStatement[] } {
  const touched = [...findTouched(points).values()].toSorted((a, b) => a.block - b.block);
  return {
    before: touched.map((one) => takeBlock(scope, one)),
    after: touched.flatMap((one) => BLOCK_WIDTHS.map((width) => foldBlocks(scope, one, width))),
  };
}

function findTouched(points: readonly MetricPoint[]): Map<number, Touched> {
  const touched = new Map<number, Touched>();
  for (const { series, step } of points) {
    const block = blockOf(step, WIDEST);
    const found = touched.get(block) ?? { block, series: new Set(), first: step, last: step };
    found.series.add(series);
    found.first = Math.min(found.first, step);
    found.last = Math.max(found.last, step);
    touched.set(block, found);
  }
  return touched;
}

function takeBlock({ store, tenantId, runId }: MetricScope, { block, series, last }: Touched): WriteStatement {
  const query = store.db
    .insertInto('metric_blocks')
    .values(
      // In the same order for every writer: two that take them crosswise would wait for each other for ever.
      [...series].toSorted().map((name) => ({
        ...{ tenant_id: tenantId, run_id: runId, series: name, width: WIDEST, block },
        ...{ last_step: last, points: 0, total: 0, lowest: null, highest: null },
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'run_id', 'series', 'width', 'block'])
        .doUpdateSet((eb) => ({ points: eb.ref('metric_blocks.points') })),
    )
    .compile();
  return { query };
}

/** Sums up again the blocks of one width that hold the steps that were written. */
function foldBlocks({ store, tenantId, runId }: MetricScope, touched: Touched, width: number): WriteStatement {
  const [from, to] = [blockOf(touched.first, width), blockOf(touched.last, width)];
  // Counted from the beginning of the widest block, where no number is negative.
  const base = touched.block * (WIDEST / width);
  const names = sql.join([...touched.series]);
  const mine = sql`tenant_id = ${tenantId} and run_id = ${runId} and series in (${names})`;
  const source =
    width === BLOCK_WIDTHS[0]
      ? sql`${whole(base)} + (step - ${whole(base * width + 1)}) / ${sql.lit(width)}, max(step), count(value),
          ${scaledSum}, min(value), max(value)
        from metric_points where ${mine} and step between ${whole(from * width + 1)} and ${whole((to + 1) * width)}`
      : sql`${whole(base)} + (block - ${whole(base * 10)}) / 10, max(last_step), sum(points),
          sum(total), min(lowest), max(highest)
        from metric_blocks where ${mine} and width = ${sql.lit(width / 10)}
          and block between ${whole(from * 10)} and ${whole(to * 10 + 9)}`;
  const query = sql`
    insert into metric_blocks (tenant_id, run_id, series, width, block, last_step, points, total, lowest, highest)
    select tenant_id, run_id, series, ${sql.lit(width)}, ${source}
    group by 1, 2, 3, 5
    on conflict (tenant_id, run_id, series, width, block) do update set last_step = excluded.last_step,
      points = excluded.points, total = excluded.total, lowest = excluded.lowest, highest = excluded.highest`;
  return { query: query.compile(store.db) };
}
