import type { Random } from '../../simulation/random.ts';
import type { Reply } from '../wire/read-replies.ts';

export interface HeldBatch {
  readonly run: string;
  readonly batchId: string;
  readonly epoch: number;
  readonly groupIds: readonly string[];
}

/** Enough that old ones are met after their lease was settled, and few enough that fresh ones are met too. */
const KEPT_BATCHES = 24;

/** The runs that cases go to; few, so that each of them gets into deep states. The empty one is the default run. */
export const RUNS = ['', 'a', 'b', 'fuzz.run-3'] as const;

/** What earlier answers told: without it no case would ever get behind a batch id. */
export class Memory {
  readonly #batches: HeldBatch[] = [];

  learn(run: string, reply: Reply): void {
    if (reply.status !== 200 || !reply.body.subarray(0, 9).equals(Buffer.from('{"batch":'))) return;
    const { batch } = JSON.parse(reply.body.toString()) as { batch: unknown };
    if (typeof batch !== 'object' || batch === null || !('batch_id' in batch)) return;
    const leased = batch as { batch_id: string; epoch: number; groups: { group_id: string }[] };
    const groupIds = leased.groups.map((group) => group.group_id);
    this.#batches.push({ run, batchId: leased.batch_id, epoch: leased.epoch, groupIds });
    if (this.#batches.length > KEPT_BATCHES) this.#batches.shift();
  }

  /** Mostly one that was leased lately. */
  pickBatch(random: Random): HeldBatch | undefined {
    const { length } = this.#batches;
    return this.#batches[length - 1 - Math.floor(random.next() ** 2 * length)];
  }
}
