import { resolve } from 'node:path';
import { nodeFileCalls } from './file-calls.ts';
import type { FileCalls } from './file-calls.ts';
import { runStepsSync } from './file-steps.ts';
import { prepareSteps } from './put-steps.ts';

/**
 * Makes the folders of a blob directory and makes them durable, so that `openFileBlobs` with `isPrepared` needs two syncs
 * a put from the first one on. Takes some ten milliseconds; safe to do again and by several processes at once.
 */
export function prepareBlobDirectory(directory: string, { files = nodeFileCalls }: { files?: FileCalls } = {}): void {
  runStepsSync(prepareSteps(resolve(directory)), files);
}
