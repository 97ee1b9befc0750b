/** How many further groups may be started: no more than the trainer can take before they are too old. */
export function countOpenPlaces({
  config,
  batchSize,
  queued,
  inFlight,
}: {
  config: { readonly max_num_workers: number; readonly max_batches_offpolicy: number; readonly group_size: number };
  batchSize: number;
  /** Groups that wait for the trainer. */
  queued: number;
  inFlight: number;
}): number {
  const mayWait = Math.max(1, Math.floor((config.max_batches_offpolicy * batchSize) / config.group_size));
  const workers = config.max_num_workers < 0 ? Number.POSITIVE_INFINITY : config.max_num_workers;
  return Math.max(0, Math.min(workers, mayWait - queued) - inFlight);
}
