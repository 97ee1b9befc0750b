import type { CaptureRecord } from '@lachesis/protocol';

/** About what an hour of a busy function makes; older ones go, and leave a gap in the numbers that the server reports. */
const MOST_RECORDS = 5_000;

/** Where records wait when there is no disk. They end with the process: `flushBeforeFreeze` sends them before. */
export interface MemoryOutbox {
  append(record: CaptureRecord): void;
  /** Delivers from the front; what fails stays. */
  drain(deliver: (records: readonly CaptureRecord[]) => Promise<void>): Promise<number>;
  readonly size: number;
}

export function createMemoryOutbox({ most = MOST_RECORDS, batchSize = 200 } = {}): MemoryOutbox {
  let waiting: CaptureRecord[] = [];
  return {
    append(record) {
      waiting.push(record);
      if (waiting.length > most) waiting.shift();
    },
    async drain(deliver) {
      let delivered = 0;
      while (waiting.length > 0) {
        const batch = waiting.slice(0, batchSize);
        await deliver(batch);
        const done = new Set(batch);
        waiting = waiting.filter((record) => !done.has(record));
        delivered += batch.length;
      }
      return delivered;
    },
    get size() {
      return waiting.length;
    },
  };
}
