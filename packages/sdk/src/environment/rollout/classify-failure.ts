import { ClientError } from '../../clients/client-error.ts';
import { failed, type Failed, type FailureKind } from '../outcome.ts';

/** What a thrown error is as an outcome. Reasons are for people: they name the fault, never a reward. */
export function classifyFailure(error: unknown, during: 'rollout' | 'verifier'): Failed {
  if (during === 'verifier') return failed(isTimeout(error) ? 'timeout' : 'verifier', describe(error));
  const kind: FailureKind =
    isTimeout(error) || (ClientError.isInstance(error) && error.code === 'timeout') ? 'timeout' : 'infrastructure';
  return failed(kind, describe(error));
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';

const LONGEST_REASON = 500;

const describe = (error: unknown): string =>
  (error instanceof Error ? error.message || error.name : String(error)).slice(0, LONGEST_REASON);
