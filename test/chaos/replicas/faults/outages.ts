interface Span {
  readonly from: number;
  readonly to: number;
}

/** When a part was away that nothing can stand in for, on the monotonic clock. */
export class Outages {
  readonly #spans: Span[] = [];
  readonly #strikes: (Span & { name: string })[] = [];

  /** Keeps when a fault struck, whether or not a part was away. */
  async note(name: string, strike: () => Promise<void>): Promise<void> {
    const from = performance.now();
    await strike();
    this.#strikes.push({ name, from, to: performance.now() });
  }

  /** The faults that struck while a span lasted, each with how far into the span. */
  met({ from, to }: Span): string[] {
    return this.#strikes
      .filter((strike) => strike.from < to && strike.to > from)
      .map(
        ({ name, ...strike }) => `${name} (${Math.round(strike.from - from)} to ${Math.round(strike.to - from)} ms)`,
      );
  }

  /** `strike` takes a part away, and resolves when it answers again. */
  async during(strike: () => Promise<void>): Promise<void> {
    const from = performance.now();
    await strike();
    this.#spans.push({ from, to: performance.now() });
  }

  get longestMs(): number {
    return Math.max(0, ...this.#spans.map(({ from, to }) => to - from));
  }

  /** What a span took beyond the outages that it met. */
  beyond({ from, to }: Span): number {
    const away = this.#spans.map((outage) => Math.min(to, outage.to) - Math.max(from, outage.from));
    return to - from - away.reduce((sum, ms) => sum + Math.max(0, ms), 0);
  }
}
