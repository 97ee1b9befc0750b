import { basename } from 'node:path';
import { TrainerError } from '../../trainer-error.ts';
import type { CodeFile } from './own-code.ts';

/** What went wrong in code of the author's, with its line where the stack has one. Trying again would find the same. */
export function describeFailure(
  { key, file }: Pick<CodeFile, 'file' | 'key'>,
  when: string,
  error: unknown,
): TrainerError {
  if (TrainerError.isInstance(error)) return error;
  const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const place = stack.split('\n').find((line) => line.includes(basename(file)));
  const at = /:(\d+):\d+\)?$/.exec(place ?? '')?.[1];
  return new TrainerError({
    kind: 'settings',
    message: `The ${key} of ${file}${at === undefined ? '' : `, line ${at},`} failed ${when}: ${reason}. Mend the file, and start the run again.`,
    cause: error,
  });
}
