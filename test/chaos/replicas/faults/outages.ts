interface Span {
  readonly from: number;
  readonly to: number;
}

/** When a part was away that nothing can stand in for, on the monotonic clock. */
export class Outages {
  readonly #spans: Span[] = [];

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
