import { LachesisError, type IdSource } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';
import { planToken, type CreatedToken } from './create-token.ts';
import { toToken, type Token } from './token.ts';

export interface RotateTokenOptions {
  store: Store;
  tenantId: string;
  tokenId: string;
  /** How long the old one is good beside the new one. */
  overlapMs: number;
  ids?: IdSource;
}

export interface RotatedToken extends CreatedToken {
  /** The old one, as it was. */
  old: Token;
  /** When the old one ends: after the overlap, or sooner if it would have. */
  oldExpiresAt: number;
  /** The new one is good for as long as the old one was when it was made. */
  expiresAt: number | null;
}

/**
 * Makes a token with the name, scopes, tenant and run of another, which ends after the overlap: both or neither. If we die
 * after the commit, the new one is held by nobody; the old one can be rotated again while it is good.
 */
export async function rotateToken(options: RotateTokenOptions): Promise<RotatedToken> {
  const { store, tenantId, tokenId, overlapMs, ids } = options;
  const now = await store.now();
  const row = await store.db
    .selectFrom('tokens')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('token_id', '=', tokenId)
    .executeTakeFirst();
  if (row === undefined) throw refuse('not-found', tokenId, 'is not there');
  const old = toToken(row);
  if (old.revokedAt !== null) throw refuse('conflict', tokenId, 'was revoked');
  if (old.expiresAt !== null && old.expiresAt <= now) throw refuse('conflict', tokenId, 'has expired');
  if (old.kind === 'process')
    throw refuse('conflict', tokenId, 'belongs to a process of a run, which renews it itself');
  if (old.kind !== 'person') throw refuse('conflict', tokenId, 'belongs to a page, which `lachesis ui` opens anew');
  const oldExpiresAt = Math.min(old.expiresAt ?? Number.MAX_SAFE_INTEGER, now + overlapMs);
  const expiresAt = old.expiresAt === null ? null : now + (old.expiresAt - old.createdAt);
  const { name, scopes, run } = old;
  const { statement, created } = planToken({ store, tenantId, name, scopes, run, expiresAt, ...(ids && { ids }) });
  const end = store.db
    .updateTable('tokens')
    .set({ expires_at: oldExpiresAt })
    .where('tenant_id', '=', tenantId)
    .where('token_id', '=', tokenId)
    .where('revoked_at', 'is', null)
    .compile();
  await store.commit({ statements: [{ query: end, expectRows: 1 }, statement] });
  return { ...created, old, oldExpiresAt, expiresAt };
}

function refuse(code: 'not-found' | 'conflict', tokenId: string, why: string): LachesisError {
  return new LachesisError({
    code,
    message: `the token ${tokenId} ${why}`,
    hint: '`lachesis token list` shows which are good; `lachesis token create` makes one.',
  });
}
