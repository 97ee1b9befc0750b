/** A push that takes longer is kept with its times. */
const SLOW_MS = 250;

/**
 * What the clients of one run saw, and nothing the server told about itself. A group is known by the number that its
 * tokens spell, so that a server which stores it twice under two ids is found out.
 */
export class History {
  #begun = 0;
  readonly #acknowledged = new Set<number>();
  /** For each group the distinct ends it met: the acks that were accepted for it, or the replies that carried it. */
  readonly #ends = new Map<number, Set<string>>();
  readonly #waiting: { count: number; resolve: () => void }[] = [];
  /** Answers that fit no promise, in words. */
  readonly surprises: string[] = [];
  /** Late acks: sent after the lease had ended by the client's own clock. */
  lateAcks = 0;
  /** Acks and reads that were refused while the lease was the client's by its own clock. */
  refusedInTime = 0;
  lateAcksAccepted = 0;
  /** Pushes that took long from their first attempt to their acknowledgement, on the monotonic clock. */
  readonly slowPushes: { from: number; to: number }[] = [];
  /** Requests for a batch that wait for their reply at this moment. */
  batchesInFlight = 0;

  /** The number of the next group; from here on the server may have it. */
  begin(): number {
    this.#begun += 1;
    return this.#begun;
  }

  /** `begunAt`: when its first attempt was made, on the monotonic clock. */
  acknowledge(number: number, begunAt: number): void {
    this.#acknowledged.add(number);
    const endedAt = performance.now();
    if (endedAt - begunAt > SLOW_MS) this.slowPushes.push({ from: begunAt, to: endedAt });
    for (const waiter of this.#waiting.filter(({ count }) => count <= this.#acknowledged.size)) {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      waiter.resolve();
    }
  }

  end(number: number, under: string): void {
    const ends = this.#ends.get(number);
    if (ends === undefined) this.#ends.set(number, new Set([under]));
    else ends.add(under);
  }

  get begun(): number {
    return this.#begun;
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  get ended(): number {
    return this.#ends.size;
  }

  /** Acknowledged and never seen again. Only final once everything was drained. */
  get lost(): number {
    return this.lostNumbers.length;
  }

  get lostNumbers(): number[] {
    return [...this.#acknowledged].filter((number) => !this.#ends.has(number));
  }

  /** Ends beyond the first one, over all groups. */
  get twice(): number {
    return [...this.#ends.values()].reduce((sum, ends) => sum + ends.size - 1, 0);
  }

  /** Resolves at the very acknowledgement that makes them `count`, while its neighbours are still on their way. */
  waitForAcknowledged(count: number): Promise<void> {
    if (this.#acknowledged.size >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }
}
