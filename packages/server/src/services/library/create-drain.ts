import type { DrainReport } from '@lachesis/sdk/capture';
import { drainOutboxes, type DrainOutboxesOptions } from './drain-outboxes.ts';

/** Drains when it is asked to, one round after the other: two that read the same files would stand in each other's way. */
export function createDrain(options: DrainOutboxesOptions): () => Promise<DrainReport> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const round = last.then(() => drainOutboxes(options));
    last = round.catch(() => undefined);
    return round;
  };
}
