import { sql } from 'kysely';
import type { WriteStatement, Store } from '../database/store.ts';
import { databaseClock } from '../database/database-clock.ts';

export interface BlobReference {
  store: Pick<Store, 'db' | 'dialect'>;
  tenantId: string;
  digest: string;
}

/** Counts one more reference; goes into the unit that writes the row which refers. */
export function addBlobReference(options: BlobReference & { bytes: number }): WriteStatement {
  const { store, tenantId, digest, bytes } = options;
  const query = store.db
    .insertInto('blob_references')
    .values({
      tenant_id: tenantId,
      digest,
      bytes,
      reference_count: 1,
      created_at: databaseClock(store.dialect),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'digest'])
        .doUpdateSet({ reference_count: sql`blob_references.reference_count + 1` }),
    )
    .compile();
  return { query, expectRows: 1 };
}

/** Counts one reference less; goes into the unit that deletes the row which referred. */
export function dropBlobReference({ store, tenantId, digest }: BlobReference): WriteStatement {
  const query = store.db
    .updateTable('blob_references')
    .set((eb) => ({ reference_count: eb('reference_count', '-', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('digest', '=', digest)
    .where('reference_count', '>', 0)
    .compile();
  return { query, expectRows: 1 };
}

/** Whether a row ever referred to the digest: a count that went down to nothing stays as a row. */
export async function isBlobKnown(options: { store: Pick<Store, 'db'>; digest: string }): Promise<boolean> {
  const { store, digest } = options;
  const query = store.db.selectFrom('blob_references').select('digest').where('digest', '=', digest).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Whether any tenant refers to the digest: the question the collector asks. */
export async function isBlobReferenced(options: { store: Pick<Store, 'db'>; digest: string }): Promise<boolean> {
  const row = await options.store.db
    .selectFrom('blob_references')
    .select('digest')
    .where('digest', '=', options.digest)
    .where('reference_count', '>', 0)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
