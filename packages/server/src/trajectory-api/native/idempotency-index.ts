import type { Store } from '@lachesis/store';

export interface RememberedReply {
  bodyDigest: string;
  reply: string;
}

/** What a client's idempotency key was answered with. The key is written by the same commit as the group. */
export interface IdempotencyIndex {
  find(request: { tenantId: string; runName: string; key: string }): Promise<RememberedReply | null>;
}

export function createIdempotencyIndex(store: Store): IdempotencyIndex {
  return {
    async find({ tenantId, runName, key }) {
      const row = await store.db
        .selectFrom('idempotency_keys')
        .innerJoin('runs', (join) =>
          join
            .onRef('runs.tenant_id', '=', 'idempotency_keys.tenant_id')
            .onRef('runs.run_id', '=', 'idempotency_keys.run_id'),
        )
        .select(['body_digest', 'reply'])
        .where('idempotency_keys.tenant_id', '=', tenantId)
        .where('runs.name', '=', runName)
        .where('key', '=', key)
        .executeTakeFirst();
      return row === undefined ? null : { bodyDigest: row.body_digest, reply: row.reply };
    },
  };
}
