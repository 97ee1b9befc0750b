/** A counting lock over bytes, first come first served: bodies wait in the socket, not in our memory. */
export class ByteBudget {
  readonly #capacity: number;
  #used = 0;
  readonly #line: { bytes: number; enter: () => void }[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get used(): number {
    return this.#used;
  }

  /** Resolves with the function that gives the bytes back; more than the whole budget counts as the whole budget. */
  async acquire(bytes: number): Promise<() => void> {
    const share = Math.min(Math.max(1, bytes), this.#capacity);
    if (this.#line.length > 0 || this.#used + share > this.#capacity) {
      await new Promise<void>((resolve) => this.#line.push({ bytes: share, enter: resolve }));
    } else {
      this.#used += share;
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#used -= share;
      this.#admit();
    };
  }

  #admit(): void {
    for (
      let next = this.#line[0];
      next !== undefined && this.#used + next.bytes <= this.#capacity;
      next = this.#line[0]
    ) {
      this.#line.shift();
      this.#used += next.bytes;
      next.enter();
    }
  }
}
