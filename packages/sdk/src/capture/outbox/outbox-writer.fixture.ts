import { callRecord } from '../testing-records.fixture.ts';
import { openOutbox } from './open-outbox.ts';

/* Appends records without end and tells each number once it is kept. The test kills it. */
const outbox = openOutbox({ directory: process.argv[2] ?? '', recorder: 'writer', maxSegmentBytes: 40_000 });
let sequence = 0;

function write(): void {
  for (let count = 0; count < 20; count += 1) {
    outbox.append(callRecord(sequence));
    process.send?.(sequence);
    sequence += 1;
  }
  setImmediate(write);
}

write();
