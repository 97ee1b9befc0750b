import { BatchError } from './batch-error.ts';

/** What a job has cost, as this worker knows it. */
export interface CostMeter {
  readonly spent: () => number;
  add(cost: number | null): void;
  /** What the store says all workers spent; never goes back. */
  learn(total: number): void;
  /** Throws when there is nothing left to spend. */
  check(): void;
}

export function createCostMeter({ maxCost }: { maxCost?: number | undefined } = {}): CostMeter {
  let spent = 0;
  return {
    spent: () => spent,
    add: (cost) => {
      spent += cost ?? 0;
    },
    learn: (total) => {
      spent = Math.max(spent, total);
    },
    check() {
      if (maxCost === undefined || spent < maxCost) return;
      throw new BatchError({
        kind: 'stop',
        what: `$${spent.toFixed(4)} are spent, and --max-cost is $${maxCost}`,
        hint: 'Go on with --resume and a higher --max-cost',
      });
    },
  };
}
