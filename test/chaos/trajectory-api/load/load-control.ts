/** The switches of a load; its clients look at them before each round. */
export interface LoadControl {
  isProducing: boolean;
  isConsuming: boolean;
  /** The part of native consumers' rounds that sleep past their lease. */
  zombieShare: number;
  /** A native consumer holds a batch for a random time up to this. */
  longestStepMs: number;
  /** How long native consumers lease a batch that they mean to end in time. */
  leaseSeconds: number;
}

export const PRODUCERS = 8;
export const CONSUMERS = 3;
/** Groups in one batch. */
export const GROUPS_PER_BATCH = 4;
