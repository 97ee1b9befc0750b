import { readFile } from 'node:fs/promises';
import { SUMMARY_DIGEST } from '../../../conformance/hermes-batch/compress/start-scripted-summarizer.ts';

export interface InFlightOptions {
  /** Calls that came to the server in the life that was ended, by digest. */
  readonly calls: ReadonlyMap<string, number>;
  /** Of that life; what it left on the disk. */
  readonly journal: string;
}

/** The calls a life had under way when it was killed: the server was asked, and what it said is not on the disk. */
export async function countInFlight({ calls, journal }: InFlightOptions): Promise<number> {
  const text = await readFile(journal, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  // Behind the last end of line stands a part of one at most.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const kept = new Set(Array.from(whole.matchAll(SUMMARY_DIGEST), ([, digest]) => digest));
  let sum = 0;
  for (const [digest, times] of calls) if (!kept.has(digest.slice(0, 16))) sum += times;
  return sum;
}
