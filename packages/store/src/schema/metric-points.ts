/** One point of a metric series such as `train/loss`. */
export interface MetricPointsTable {
  tenant_id: string;
  run_id: string;
  series: string;
  step: number;
  at: number;
  /** Null when the trainer reported something that is not a finite number: SQLite cannot store NaN. */
  value: number | null;
}
