import path from 'node:path';
import { EnvironmentError } from '../environment-error.ts';

const MOST_TRIES = 10_000;

/** Tries `name.ext`, `name_1.ext`, `name_2.ext`, … until `take` does not say that it exists. */
export async function findFreePath<T>(
  wanted: string,
  take: (candidate: string) => Promise<T>,
): Promise<{ path: string; handle: T }> {
  const { dir, name, ext } = path.parse(wanted);
  for (let number = 0; number < MOST_TRIES; number += 1) {
    const candidate = number === 0 ? wanted : path.join(dir, `${name}_${number}${ext}`);
    try {
      return { path: candidate, handle: await take(candidate) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new EnvironmentError({
        kind: 'bad-path',
        reason: `${candidate} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}).`,
        cause: error,
      });
    }
  }
  throw new EnvironmentError({ kind: 'bad-path', reason: `${wanted} and ${MOST_TRIES} names like it are taken.` });
}
