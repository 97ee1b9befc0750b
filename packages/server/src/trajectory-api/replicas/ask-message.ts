import { LachesisError, type ErrorCode } from '@lachesis/protocol';
import { LeaseLostError, StoreConflictError } from '@lachesis/store';
import { isRetryable } from '../run-queue.ts';
import { NotOwnerError } from './not-owner-error.ts';
import type { Answer } from './post-json.ts';

/** A command on its way from the server that was called to the one that owns the run. */
export interface AskMessage {
  /** The same for every try. */
  id: string;
  /** The server that asks. */
  from: string;
  tenantId: string;
  runName: string;
  command: string;
  input: unknown;
}

/** Asked of a server and of no run: under which name it lives. */
export const LIFE = 'life';

type Refusal =
  | { kind: 'not-owner'; runName: string }
  | { kind: 'conflict'; constraint: string }
  | { kind: 'passing'; message: string }
  | {
      kind: 'refused';
      code: ErrorCode;
      message: string;
      hint?: string | undefined;
      retryAfterSeconds?: number | undefined;
    };

/** What the owner answers when a command failed there. */
export function toRefusal(error: unknown, runName: string): { status: number; body: { refusal: Refusal } } {
  const answer = (status: number, refusal: Refusal) => ({ status, body: { refusal } });
  if (NotOwnerError.isInstance(error) || LeaseLostError.isInstance(error)) {
    return answer(409, { kind: 'not-owner', runName });
  }
  if (StoreConflictError.isInstance(error)) return answer(409, { kind: 'conflict', constraint: error.constraint });
  if (LachesisError.isInstance(error)) {
    const { code, message, hint, retryAfterSeconds } = error;
    return answer(error.status, { kind: 'refused', code, message, hint, retryAfterSeconds });
  }
  const message = error instanceof Error ? error.message : String(error);
  if (isRetryable(error)) return answer(503, { kind: 'passing', message });
  return answer(500, { kind: 'refused', code: 'internal', message: 'the owner of the run failed' });
}

/** The value, or what the owner refused it with, as if it had been decided here. */
export function readAnswer({ status, body }: Answer): unknown {
  const { value = null, refusal } = body as { value?: unknown; refusal?: Refusal };
  if (status === 200) return value;
  if (refusal === undefined) throw new Error(`a server that shares this run answered ${status}`);
  if (refusal.kind === 'not-owner') throw new NotOwnerError(refusal.runName);
  if (refusal.kind === 'conflict') throw new StoreConflictError({ constraint: refusal.constraint });
  if (refusal.kind === 'passing') throw new Error(refusal.message);
  const { code, message, hint, retryAfterSeconds } = refusal;
  throw new LachesisError({
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
