/** What a stretch of a series comes to, so that a chart of a long one need not read every point. */
export interface MetricBlocksTable {
  tenant_id: string;
  run_id: string;
  series: string;
  /** How many steps it stands for: 10, 100 or 1,000. */
  width: number;
  /** Counts from step 1: block 0 of width 10 holds the steps 1 to 10. */
  block: number;
  last_step: number;
  /** Points with a value. */
  points: number;
  /** The sum of the values, divided by 2^40: a sum of large numbers is an error on PostgreSQL. */
  total: number;
  lowest: number | null;
  highest: number | null;
}
