/** As many conversations as one gateway has under way. */
const MOST = 10_000;

/** Which trajectory a caller's key stands for, as far as the store has said. */
export class TrajectoryIds {
  readonly #known = new Map<string, string>();
  readonly #most: number;

  constructor(most = MOST) {
    this.#most = most;
  }

  /** The id of a key; of one that is not known a new one, which is told until the store says which it is. */
  take(tenantId: string, key: string, next: () => string): string {
    const known = this.#known.get(`${tenantId}\0${key}`);
    if (known !== undefined) return known;
    const made = next();
    this.note(tenantId, key, made);
    return made;
  }

  note(tenantId: string, key: string, trajectoryId: string): void {
    const name = `${tenantId}\0${key}`;
    // The one that was noted longest ago goes first.
    this.#known.delete(name);
    this.#known.set(name, trajectoryId);
    if (this.#known.size <= this.#most) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}
