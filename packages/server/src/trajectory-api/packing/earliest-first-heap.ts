/** A value and the queue position it waits at. */
export interface Waiting<T> {
  readonly position: number;
  readonly value: T;
}

/** A binary heap that gives the value with the earliest queue position first. */
export class EarliestFirstHeap<T> {
  readonly #entries: Waiting<T>[] = [];

  peek(): Waiting<T> | undefined {
    return this.#entries[0];
  }

  push(entry: Waiting<T>): void {
    const entries = this.#entries;
    let hole = entries.length;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = entries[parent] as Waiting<T>;
      if (above.position <= entry.position) break;
      entries[hole] = above;
      hole = parent;
    }
    entries[hole] = entry;
  }

  pop(): Waiting<T> | undefined {
    const entries = this.#entries;
    const earliest = entries[0];
    const last = entries.pop();
    if (last === undefined || entries.length === 0) return earliest;
    let hole = 0;
    for (let child = 1; child < entries.length; child = 2 * hole + 1) {
      const right = entries[child + 1];
      if (right !== undefined && right.position < (entries[child] as Waiting<T>).position) child += 1;
      const below = entries[child] as Waiting<T>;
      if (last.position <= below.position) break;
      entries[hole] = below;
      hole = child;
    }
    entries[hole] = last;
    return earliest;
  }
}
