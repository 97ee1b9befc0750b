import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

import { chainEvent, type JsonValue } from '@lachesis/store';

import type { ChangeWorld, Row } from './change.ts';

/** Chains lines as the product does; the signatures stay what they were. */
export function chain(rows: readonly Row[], previousHash: string, { head }: Pick<ChangeWorld, 'head'>): Row[] {
  const runId = String(head()['log_id']);
  const chained: Row[] = [];
  for (const row of rows) {
    const previous = chained.at(-1)?.hash ?? previousHash;
    const { tenant_id: tenantId, cursor, action: kind, at } = row;
    const data = JSON.parse(row.data) as JsonValue;
    chained.push({
      ...row,
      previous_hash: previous,
      hash: chainEvent(previous, { tenantId, runId, cursor, kind, at, data }),
    });
  }
  return chained;
}

/** A key of somebody else's. */
export function strangersKey(): KeyObject {
  return generateKeyPairSync('ed25519').privateKey;
}

export function signAs(key: KeyObject, text: string): string {
  return sign(null, Buffer.from(text), key).toString('hex');
}
