import { createIdSource, type IdSource } from '@lachesis/protocol';
import type { Store, WriteStatement } from '../database/store.ts';
import { StaleWriteError } from '../errors/stale-write-error.ts';
import { StoreConflictError } from '../errors/store-conflict-error.ts';
import { chainEvent, FIRST_PREVIOUS_HASH } from '../events/chain-event.ts';
import { toCanonicalJson } from '../events/canonical-json.ts';
import type { AuditHeadsTable, AuditLinesTable } from '../schema/history.ts';
import type { AuditKey } from './audit-key.ts';
import { toAuditData, type AuditEntry } from './audit-line.ts';
import { headStatement, lineStatement, startStatement } from './audit-statements.ts';
import { readAuditHead } from './read-audit.ts';

export interface AppendAuditOptions {
  store: Store;
  key: AuditKey;
  entries: readonly AuditEntry[];
  ids?: IdSource;
}

/** Rows of one insert: nine values each, and SQLite takes 32,766 of them. */
const CHUNK = 500;
/** Each failed try means that another process wrote lines of its own. */
const MOST_TRIES = 50;

/**
 * Writes entries behind the newest line, and moves the signed end to them: both or neither. Several processes write to one
 * log; who was overtaken chains its entries anew. If we die after the commit, the lines are there once.
 */
export async function appendAudit(options: AppendAuditOptions): Promise<AuditHeadsTable | undefined> {
  const { store, entries, ids = createIdSource() } = options;
  if (entries.length === 0) return readAuditHead(store);
  for (let tries = 1; ; tries += 1) {
    const before = await readAuditHead(store);
    const { statements, head } = chainEntries({ ...options, ids }, before);
    try {
      await store.commit({ statements });
      return head;
    } catch (error) {
      const isOvertaken = StaleWriteError.isInstance(error) || StoreConflictError.isInstance(error);
      if (!isOvertaken || tries >= MOST_TRIES) throw error;
    }
  }
}

function chainEntries(
  { store, key, entries, ids }: AppendAuditOptions & { ids: IdSource },
  before: AuditHeadsTable | undefined,
): { statements: WriteStatement[]; head: AuditHeadsTable } {
  const logId = before?.log_id ?? ids.next();
  const lines: AuditLinesTable[] = [];
  let last = { cursor: before?.cursor ?? 0, hash: before?.hash ?? FIRST_PREVIOUS_HASH };
  for (const entry of entries) {
    const { tenantId, action, at } = entry;
    const cursor = last.cursor + 1;
    const data = toAuditData(entry);
    const hash = chainEvent(last.hash, { tenantId, runId: logId, cursor, kind: action, at, data });
    lines.push({
      ...{ tenant_id: tenantId, cursor, action, at, data: toCanonicalJson(data), previous_hash: last.hash, hash },
      ...{ key_id: key.keyId, signature: key.sign(lineStatement(hash)) },
    });
    last = { cursor, hash };
  }
  const head = moveHead(before ?? firstHead(logId, entries[0]?.at ?? 0, key), last, entries.at(-1)?.at ?? 0, key);
  const statements: WriteStatement[] = [{ query: headQuery(store, before, head), expectRows: 1 }];
  for (let start = 0; start < lines.length; start += CHUNK) {
    const chunk = lines.slice(start, start + CHUNK);
    statements.push({ query: store.db.insertInto('audit_lines').values(chunk).compile(), expectRows: chunk.length });
  }
  return { statements, head };
}

/** The head comes before the lines: on PostgreSQL its row is what writers wait for each other at. */
function headQuery({ db }: Store, before: AuditHeadsTable | undefined, head: AuditHeadsTable): WriteStatement['query'] {
  if (before === undefined) return db.insertInto('audit_heads').values(head).compile();
  const { cursor, hash, at, key_id, signature } = head;
  return db
    .updateTable('audit_heads')
    .set({ cursor, hash, at, key_id, signature })
    .where('tenant_id', '=', '')
    .where('cursor', '=', before.cursor)
    .where('hash', '=', before.hash)
    .compile();
}

function firstHead(logId: string, at: number, key: AuditKey): AuditHeadsTable {
  const start = { log_id: logId, start_cursor: 0, start_hash: FIRST_PREVIOUS_HASH, start_at: at };
  return {
    tenant_id: '',
    ...start,
    ...{ start_key_id: key.keyId, start_signature: key.sign(startStatement(start)) },
    ...{ cursor: 0, hash: FIRST_PREVIOUS_HASH, at, key_id: key.keyId, signature: '' },
  };
}

function moveHead(
  head: AuditHeadsTable,
  { cursor, hash }: { cursor: number; hash: string },
  at: number,
  key: AuditKey,
): AuditHeadsTable {
  const moved = { ...head, cursor, hash, at, key_id: key.keyId };
  return { ...moved, signature: key.sign(headStatement(moved)) };
}
