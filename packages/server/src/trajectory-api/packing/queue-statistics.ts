import type { PackableGroup } from './packable-group.ts';
import { SizeCounts } from './size-counts.ts';
import type { EnvironmentsSummary } from './summarize-environments.ts';

interface SenderCounts {
  sequences: number;
  readonly sizes: SizeCounts;
}

/**
 * Counts over the queued groups, kept current as groups come and go, so that a status reply reads them instead of the
 * queue: every environment asks about ten times a second. Tell it of each group that enters or leaves the queue;
 * buffered groups and those in formed batches do not count.
 */
export class QueueStatistics {
  readonly #sizes = new SizeCounts();
  readonly #senders = new Map<number | null, SenderCounts>();
  #sequences = 0;
  /** The sum behind `countAvailableFromOthers`, for one summary and one pack size. */
  #available: { summary: EnvironmentsSummary; packSize: number; sequences: number } | undefined;

  /** Groups queued. */
  get groupCount(): number {
    return this.#sizes.total;
  }

  /** Sequences queued. */
  get sequenceCount(): number {
    return this.#sequences;
  }

  /** Sequences in the largest queued group, 0 when nothing is queued. */
  get largestGroup(): number {
    return this.#sizes.largest;
  }

  /** Sequences queued by one environment, or by senders that named none. */
  countSequencesOf(envId: number | null): number {
    return this.#senders.get(envId)?.sequences ?? 0;
  }

  /** Sequences in the largest group queued by one environment, undefined when it has nothing queued. */
  findLargestGroupOf(envId: number | null): number | undefined {
    return this.#senders.get(envId)?.sizes.largest;
  }

  add({ envId, sequenceCount }: PackableGroup): void {
    this.#withdrawShare(envId);
    let sender = this.#senders.get(envId);
    if (sender === undefined) this.#senders.set(envId, (sender = { sequences: 0, sizes: new SizeCounts() }));
    sender.sizes.add(sequenceCount);
    sender.sequences += sequenceCount;
    this.#sizes.add(sequenceCount);
    this.#sequences += sequenceCount;
    this.#returnShare(envId);
  }

  /** Throws a RangeError when no group of that environment and size was added. */
  remove({ envId, sequenceCount }: PackableGroup): void {
    const sender = this.#senders.get(envId);
    if (sender === undefined)
      throw new RangeError(`No group of environment ${envId} is counted, so none can be removed.`);
    sender.sizes.remove(sequenceCount);
    this.#withdrawShare(envId);
    sender.sequences -= sequenceCount;
    if (sender.sizes.total === 0) this.#senders.delete(envId);
    this.#sizes.remove(sequenceCount);
    this.#sequences -= sequenceCount;
    this.#returnShare(envId);
  }

  /**
   * Sequences that senders other than `envId` have queued beyond their minimums, each sender's rounded up to whole
   * packs of the largest queued group. If that group has one sequence, the others count as nothing.
   */
  countAvailableFromOthers(envId: number, summary: EnvironmentsSummary): number {
    const packSize = this.largestGroup;
    if (packSize <= 1) return 0;
    if (this.#available?.summary !== summary || this.#available.packSize !== packSize) {
      let sequences = 0;
      for (const sender of this.#senders.keys()) sequences += this.#shareOf(sender, summary, packSize);
      this.#available = { summary, packSize, sequences };
    }
    return this.#available.sequences - this.#shareOf(envId, summary, packSize);
  }

  #shareOf(envId: number | null, summary: EnvironmentsSummary, packSize: number): number {
    const sender = this.#senders.get(envId);
    if (sender === undefined) return 0;
    const packed = Math.ceil(sender.sequences / packSize) * packSize;
    const minimum = envId === null ? 0 : (summary.minimumSequences.get(envId) ?? 0);
    return Math.max(0, packed - minimum);
  }

  /** Called before a sender's counts change, and `#returnShare` after: between them the cached sum leaves it out. */
  #withdrawShare(envId: number | null): void {
    const cached = this.#available;
    if (cached !== undefined) cached.sequences -= this.#shareOf(envId, cached.summary, cached.packSize);
  }

  #returnShare(envId: number | null): void {
    const cached = this.#available;
    if (cached !== undefined) cached.sequences += this.#shareOf(envId, cached.summary, cached.packSize);
  }
}
