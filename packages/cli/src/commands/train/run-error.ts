import { LachesisError } from '@lachesis/protocol';

/** Why a run could not be made or ended badly, with what to do. */
export function describeRunError(error: unknown): string {
  if (LachesisError.isInstance(error) && error.hint !== undefined) return `${error.message}. ${error.hint}`;
  return error instanceof Error ? error.message : String(error);
}
