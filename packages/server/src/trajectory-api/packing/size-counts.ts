/** A multiset of group sizes that knows its largest member without looking at every group. */
export class SizeCounts {
  readonly #counts = new Map<number, number>();
  #largest = 0;
  #total = 0;

  /** 0 when there is no group. */
  get largest(): number {
    return this.#largest;
  }

  /** How many groups are counted. */
  get total(): number {
    return this.#total;
  }

  add(size: number): void {
    this.#counts.set(size, (this.#counts.get(size) ?? 0) + 1);
    this.#total += 1;
    if (size > this.#largest) this.#largest = size;
  }

  /** Throws a RangeError for a size that is not counted: the caller's books are wrong, and going on would hide it. */
  remove(size: number): void {
    const count = this.#counts.get(size);
    if (count === undefined) throw new RangeError(`No group of ${size} sequences is counted, so none can be removed.`);
    this.#total -= 1;
    if (count > 1) {
      this.#counts.set(size, count - 1);
      return;
    }
    this.#counts.delete(size);
    if (size === this.#largest) this.#largest = largestKey(this.#counts);
  }
}

/** Few distinct sizes exist in practice, so the rare loss of the last largest group may walk them. */
function largestKey(counts: ReadonlyMap<number, number>): number {
  let largest = 0;
  for (const size of counts.keys()) if (size > largest) largest = size;
  return largest;
}
