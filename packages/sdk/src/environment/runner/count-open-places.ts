/** How many further groups may be started: no more than the trainer can take before they are too old. */
export function countOpenPlaces({
  config,
  batchSize,
  queued,
  inFlight,
  share,
}: {
  config: { readonly max_num_workers: number; readonly max_batches_offpolicy: number; readonly group_size: number };
  batchSize: number;
  /** Groups that wait for the trainer. */
  queued: number;
  inFlight: number;
  /** Of every batch, where environments have different weights; the groups that wait are then its own, and one of them is free. */
  share?: number | undefined;
}): number {
  const ahead = (config.max_batches_offpolicy * batchSize) / config.group_size;
  const mayWait = share === undefined ? Math.max(1, Math.floor(ahead)) : Math.floor(ahead * share) + 1;
  const workers = config.max_num_workers < 0 ? Number.POSITIVE_INFINITY : config.max_num_workers;
  return Math.max(0, Math.min(workers, mayWait - queued) - inFlight);
}
