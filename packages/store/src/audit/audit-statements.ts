import { toCanonicalJson } from '../events/canonical-json.ts';
import type { AuditHeadsTable } from '../schema/history.ts';

/** What a signature stands for. The word in front keeps the signature of one kind from passing as another's. */
export function lineStatement(hash: string): string {
  return `lachesis-audit-line ${hash}`;
}

/** That this was the newest line. The one before it is overwritten, so that nobody finds a signed end further up. */
export function headStatement(head: Pick<AuditHeadsTable, 'log_id' | 'cursor' | 'hash' | 'at'>): string {
  const { log_id, cursor, hash, at } = head;
  return `lachesis-audit-head ${toCanonicalJson({ log_id, cursor, hash, at })}`;
}

/** That everything up to this line was let go of by who may. */
export function startStatement(
  head: Pick<AuditHeadsTable, 'log_id' | 'start_cursor' | 'start_hash' | 'start_at'>,
): string {
  const { log_id, start_cursor: cursor, start_hash: hash, start_at: at } = head;
  return `lachesis-audit-start ${toCanonicalJson({ log_id, cursor, hash, at })}`;
}
