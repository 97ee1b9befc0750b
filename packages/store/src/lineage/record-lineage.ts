import type { Store, WriteStatement } from '../database/store.ts';
import { insertRows } from '../database/write-row.ts';
import type { LineageArrow } from './lineage-arrow.ts';

export interface RecordLineageOptions {
  store: Store;
  tenantId: string;
  arrows: readonly LineageArrow[];
}

/** Notes which record was made from which. An arrow that is there stays as it is. */
export async function recordLineage(options: RecordLineageOptions): Promise<void> {
  if (options.arrows.length === 0) return;
  const at = await options.store.now();
  await options.store.commit({ statements: writeArrows({ ...options, at }) });
}

/** The same as statements, for a commit that makes the record too. */
export function writeArrows({ store, tenantId, arrows, at }: RecordLineageOptions & { at: number }): WriteStatement[] {
  const rows = arrows.map(({ from, to, relation }) => ({
    tenant_id: tenantId,
    from_kind: from.kind,
    from_id: from.id,
    to_kind: to.kind,
    to_id: to.id,
    relation,
    at,
  }));
  return insertRows({ dialect: store.dialect, table: 'lineage', rows, suffix: 'on conflict do nothing' });
}
