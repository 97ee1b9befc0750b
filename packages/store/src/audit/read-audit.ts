import type { Store } from '../database/store.ts';
import type { AuditHeadsTable, AuditLinesTable } from '../schema/history.ts';
import { toAuditLine, type AuditLine } from './audit-line.ts';

const PAGE = 500;

/** Where the log begins and ends; undefined while nothing was ever written. */
export async function readAuditHead({ db }: Pick<Store, 'db'>): Promise<AuditHeadsTable | undefined> {
  return await db.selectFrom('audit_heads').selectAll().where('tenant_id', '=', '').executeTakeFirst();
}

/** The next lines in order, as they are stored. */
export async function readAuditPage(options: {
  store: Pick<Store, 'db'>;
  afterCursor: number;
  limit?: number;
}): Promise<AuditLinesTable[]> {
  return await options.store.db
    .selectFrom('audit_lines')
    .selectAll()
    .where('cursor', '>', options.afterCursor)
    .orderBy('cursor')
    .limit(options.limit ?? PAGE)
    .execute();
}

export interface AuditFilter {
  /** Milliseconds since the epoch; lines that end before it are left out. */
  since?: number | undefined;
  tenantId?: string | undefined;
  tokenId?: string | undefined;
  /** Words that the action holds, such as `token` or `DELETE`; upper and lower case are one. */
  action?: string | undefined;
  /** Only what was refused. */
  isRefused?: boolean | undefined;
}

/** The newest lines that fit, oldest first. */
export async function listAudit(options: {
  store: Pick<Store, 'db'>;
  filter?: AuditFilter;
  limit: number;
}): Promise<AuditLine[]> {
  const { store, filter = {}, limit } = options;
  const { since, tenantId, tokenId, action, isRefused } = filter;
  const found: AuditLine[] = [];
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    let query = store.db.selectFrom('audit_lines').selectAll().where('cursor', '<', before);
    if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId);
    const page = await query.orderBy('cursor', 'desc').limit(PAGE).execute();
    for (const row of page) {
      const line = toAuditLine(row);
      if (since !== undefined && (line.until ?? line.at) < since) continue;
      if (tokenId !== undefined && line.tokenId !== tokenId && line.things['token'] !== tokenId) continue;
      if (action !== undefined && !line.action.toLowerCase().includes(action.toLowerCase())) continue;
      if (isRefused === true && line.result === 'ok') continue;
      found.push(line);
      if (found.length === limit) return found.reverse();
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return found.reverse();
    before = last.cursor;
  }
}
