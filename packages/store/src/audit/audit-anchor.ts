import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '../database/store.ts';
import type { AuditHeadsTable } from '../schema/history.ts';
import { auditDirectory } from './audit-key.ts';
import type { AuditAnchor } from './verify-audit.ts';

/** What the home remembers of the log: whoever can change the database alone cannot take its newest lines away unseen. */
export async function readAuditAnchor(home: string): Promise<AuditAnchor | undefined> {
  const path = anchorPath(home);
  try {
    const { logId, cursor, hash } = JSON.parse(await readFile(path, 'utf8')) as Partial<AuditAnchor>;
    if (typeof logId === 'string' && typeof cursor === 'number' && typeof hash === 'string') {
      return { logId, cursor, hash, source: path };
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (!(error instanceof SyntaxError)) throw error;
  }
  // Damaged counts as a log that nobody knows: `verify` says so, and no writer covers it up.
  return { logId: 'unreadable', cursor: 0, hash: '', source: path };
}

/**
 * Moves what the home remembers to the newest line, as long as the log still has the line remembered before: a log that was
 * cut or exchanged keeps its witness. If we die before it, the home remembers a little less. False when it was not moved.
 */
export async function moveAuditAnchor(options: {
  home: string;
  store: Pick<Store, 'db'>;
  head: AuditHeadsTable;
}): Promise<boolean> {
  const { home, store, head } = options;
  const known = await readAuditAnchor(home);
  if (known !== undefined && !(await isStillThere(store, head, known))) return false;
  if (known !== undefined && known.cursor >= head.cursor) return true;
  const path = anchorPath(home);
  const draft = `${path}.${process.pid}`;
  const text = JSON.stringify({ logId: head.log_id, cursor: head.cursor, hash: head.hash });
  await writeFile(draft, `${text}\n`, { mode: 0o600 });
  await rename(draft, path);
  return true;
}

async function isStillThere(store: Pick<Store, 'db'>, head: AuditHeadsTable, known: AuditAnchor): Promise<boolean> {
  if (known.logId !== head.log_id) return false;
  if (known.cursor < head.start_cursor) return true;
  if (known.cursor === head.start_cursor) return known.hash === head.start_hash;
  const row = await store.db
    .selectFrom('audit_lines')
    .select('hash')
    .where('cursor', '=', known.cursor)
    .executeTakeFirst();
  return row?.hash === known.hash;
}

function anchorPath(home: string): string {
  return join(auditDirectory(home), 'anchor.json');
}
