/** Reply of GET /status. */
export interface StatusReply {
  current_step: number;
  /** Groups, not sequences. */
  queue_size: number;
}

/** Reply of GET /status-env. */
export interface EnvironmentStatusReply {
  current_step: number;
  /** Groups of the asking environment's size that wait, others' minimums taken off. */
  queue_size: number;
  /** The share of a batch that no environment has reserved. */
  unallocated_fraction: number;
  /** Groups of its own that wait. */
  self_queue_size: number;
  /** Sequences in the largest group that waits, at least 1. */
  max_group_size: number;
  env_weight: number;
}

/** Reply of GET /. */
export interface RootReply {
  message: 'AtroposLib API';
}
