import type { Store } from '../database/store.ts';
import type { AuditKey } from './audit-key.ts';
import { startStatement } from './audit-statements.ts';
import { readAuditHead } from './read-audit.ts';

export interface RetainAuditOptions {
  store: Store;
  key: AuditKey;
  /** Lines up to the first one that is not older, milliseconds since the epoch. */
  olderThan: number;
  now: () => number;
  /** Told which lines are about to go, before they do; what it does with them is done when it resolves. */
  archive?: (lines: { afterCursor: number; upToCursor: number }) => Promise<void>;
}

/**
 * Lets go of the oldest lines. Where the log begins then is signed, so that the rest verifies from there. The newest line
 * always stays. If we die before the commit, nothing is gone; an archive may then hold lines that are still here.
 */
export async function retainAudit(options: RetainAuditOptions): Promise<{ lines: number; upToCursor: number }> {
  const { store, key, olderThan, now } = options;
  const head = await readAuditHead(store);
  if (head === undefined) return { lines: 0, upToCursor: 0 };
  const { start_cursor: start } = head;
  const kept = await store.db
    .selectFrom('audit_lines')
    .select('cursor')
    .where('cursor', '>', start)
    .where('at', '>=', olderThan)
    .orderBy('cursor')
    .limit(1)
    .executeTakeFirst();
  const upToCursor = Math.min((kept?.cursor ?? head.cursor) - 1, head.cursor - 1);
  const last = await store.db
    .selectFrom('audit_lines')
    .select('hash')
    .where('cursor', '=', upToCursor)
    .executeTakeFirst();
  if (upToCursor <= start || last === undefined) return { lines: 0, upToCursor: start };
  await options.archive?.({ afterCursor: start, upToCursor });
  const begin = { log_id: head.log_id, start_cursor: upToCursor, start_hash: last.hash, start_at: now() };
  const { start_cursor, start_hash, start_at } = begin;
  const move = store.db
    .updateTable('audit_heads')
    .set({
      start_cursor,
      start_hash,
      start_at,
      start_key_id: key.keyId,
      start_signature: key.sign(startStatement(begin)),
    })
    .where('tenant_id', '=', '')
    .where('start_cursor', '=', start)
    .compile();
  const drop = store.db
    .deleteFrom('audit_lines')
    .where('cursor', '>', start)
    .where('cursor', '<=', upToCursor)
    .compile();
  // A count that does not fit means that lines are missing already: then nothing is covered up by letting go of the rest.
  await store.commit({
    statements: [
      { query: move, expectRows: 1 },
      { query: drop, expectRows: upToCursor - start },
    ],
  });
  return { lines: upToCursor - start, upToCursor };
}
