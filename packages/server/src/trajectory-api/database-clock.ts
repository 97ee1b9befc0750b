/**
 * The database's clock, followed between commits by the process's monotonic one: a host clock that jumps moves no lease.
 */
export class DatabaseClock {
  readonly #monotonic: () => number;
  #base: number | null = null;
  #readAt = 0;

  constructor(options: { monotonic?: () => number } = {}) {
    this.#monotonic = options.monotonic ?? (() => performance.now());
  }

  sync(databaseNow: number): void {
    // An answer that was long under way is older than what we have: time never runs backwards here.
    if (this.#base !== null && databaseNow < this.now()) return;
    this.#base = databaseNow;
    this.#readAt = this.#monotonic();
  }

  get isSynced(): boolean {
    return this.#base !== null;
  }

  now(): number {
    if (this.#base === null) throw new Error('the database clock was read before it was synchronised');
    return Math.floor(this.#base + (this.#monotonic() - this.#readAt));
  }
}
