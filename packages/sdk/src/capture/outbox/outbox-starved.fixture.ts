import { openSync } from 'node:fs';
import { callRecord } from '../testing-records.fixture.ts';
import { openOutbox } from './open-outbox.ts';

/* Opens an outbox, takes every descriptor that is left, and then records. */
const outbox = openOutbox({ directory: process.argv[2] ?? '', recorder: 'starved', maxSegmentBytes: 10 });
if (process.argv[3] === 'opened') outbox.open();
try {
  for (;;) openSync('/dev/null', 'r');
} catch {
  // There is none left.
}
let kept = 0;
try {
  // Each record closes its segment and begins the next.
  for (; kept < 2; kept += 1) outbox.append(callRecord(kept));
} catch {
  // Told by the number.
}
process.stdout.write(String(kept), () => process.exit(0));
