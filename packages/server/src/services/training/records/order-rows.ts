import { hash } from 'node:crypto';

export interface RowOrderOptions {
  /** How many examples there are. */
  count: number;
  batchSize: number;
  /** How often each example is trained on; a part of an epoch ends within it. */
  epochs: number;
  maxSteps: number | null;
  seed: number;
}

/** Which examples make which step. It is a function of its options alone, so a process that goes on needs no memory of it. */
export interface RowOrder {
  readonly totalSteps: number;
  /** The places of the examples of a step, from 1 on. */
  batchAt(step: number): number[];
  /** How many epochs are over after a step. */
  epochAfter(step: number): number;
}

/** The epochs one behind the other, each shuffled by its own number, cut into steps; the last step may be shorter. */
export function orderRows({ count, batchSize, epochs, maxSteps, seed }: RowOrderOptions): RowOrder {
  const total = Math.round(count * epochs);
  const steps = Math.ceil(total / batchSize);
  const totalSteps = maxSteps === null ? steps : Math.min(steps, maxSteps);
  const shuffled = new Map<number, readonly number[]>();
  const orderOf = (epoch: number): readonly number[] => {
    let order = shuffled.get(epoch);
    if (order === undefined) {
      order = shuffleEpoch({ count, seed, epoch });
      // A step reads from two epochs at most.
      if (shuffled.size > 1) shuffled.clear();
      shuffled.set(epoch, order);
    }
    return order;
  };
  return {
    totalSteps,
    batchAt(step) {
      const start = (step - 1) * batchSize;
      const end = Math.min(total, start + batchSize);
      const places: number[] = [];
      for (let at = start; at < end; at += 1) places.push(orderOf(Math.floor(at / count))[at % count]!);
      return places;
    },
    epochAfter: (step) => Math.min(total, step * batchSize) / count,
  };
}

/** By the hash of seed, epoch and place: the same in every process and every version of the runtime. */
function shuffleEpoch({ count, seed, epoch }: { count: number; seed: number; epoch: number }): number[] {
  const keys = Array.from({ length: count }, (_, place) => hash('sha256', `${seed}/${epoch}/${place}`, 'hex'));
  return Array.from(keys.keys()).sort((left, right) => (keys[left]! < keys[right]! ? -1 : 1));
}
