/** How many groups may be started in a strictly on-policy run: one batch for each round that the trainer opens. */
export interface OnPolicyRounds {
  /** What the trainer said last; null or undefined while it waits for nothing. */
  hear(round: string | null | undefined): void;
  /** A group has reached the trajectory API. */
  sent(): void;
  countOpenPlaces(now: { queued: number; inFlight: number }): number;
}

export interface OnPolicyRoundsOptions {
  readonly config: { readonly max_num_workers: number; readonly group_size: number };
  /** Sequences in a batch. */
  readonly batchSize: number;
  readonly now: () => number;
}

/**
 * Rollouts may be several sequences, and then the groups of a round do not always make up a batch. One that was sent and is
 * still not taken after this long is helped by another group.
 */
const STARVING_MS = 5_000;

export function createOnPolicyRounds({ config, batchSize, now }: OnPolicyRoundsOptions): OnPolicyRounds {
  const groups = Math.max(1, Math.ceil(batchSize / config.group_size));
  const workers = config.max_num_workers < 0 ? Number.POSITIVE_INFINITY : config.max_num_workers;
  let current: string | undefined;
  let isOpen = false;
  let sentInRound = 0;
  let changedAt = now();
  return {
    hear(round) {
      isOpen = round !== null && round !== undefined;
      if (round === null || round === undefined || round === current) return;
      current = round;
      sentInRound = 0;
      changedAt = now();
    },
    sent() {
      sentInRound += 1;
      changedAt = now();
    },
    countOpenPlaces({ queued, inFlight }) {
      if (!isOpen) return 0;
      // Those of the round may have left the queue before the trainer says that it has them.
      const room = groups - Math.max(sentInRound, queued) - inFlight;
      if (room > 0) return Math.max(0, Math.min(room, workers - inFlight));
      if (inFlight > 0 || now() - changedAt < STARVING_MS) return 0;
      changedAt = now();
      return 1;
    },
  };
}
