/** Ten megabytes of keys, which a gateway reaches after weeks. */
const MAX_STREAMS = 100_000;

/**
 * Numbers records from 0 for each stream, so that one that is lost leaves a gap. When there are too many streams to
 * remember, it goes on under another name: a number is never given twice under one.
 */
export class SequenceCounter {
  readonly #name: string;
  readonly #maxStreams: number;
  readonly #next = new Map<string, number>();
  #life = 0;

  constructor(name: string, maxStreams = MAX_STREAMS) {
    this.#name = name;
    this.#maxStreams = maxStreams;
  }

  take(stream: string): { recorder: string; sequence: number } {
    if (this.#next.size >= this.#maxStreams && !this.#next.has(stream)) {
      this.#next.clear();
      this.#life += 1;
    }
    const sequence = this.#next.get(stream) ?? 0;
    this.#next.set(stream, sequence + 1);
    return { recorder: this.#life === 0 ? this.#name : `${this.#name}.${this.#life}`, sequence };
  }
}
