import { DiskFullError } from '../errors/disk-full-error.ts';

export function isMissing(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'ENOENT';
}

export function isTaken(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'EEXIST';
}

/** No space and no quota left are the same to the caller. */
export function toBlobError(error: unknown, target: string): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT' ? new DiskFullError({ target, cause: error }) : error;
}
