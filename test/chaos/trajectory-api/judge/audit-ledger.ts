import type { Ledger } from '@lachesis/protocol';

import type { Load } from '../load/start-load.ts';

export async function readLedger({ client }: Pick<Load, 'client'>): Promise<Ledger> {
  const { status, json } = await client.insistJson({ method: 'GET', path: '/v1/ledger' });
  if (status !== 200) throw new Error(`GET /v1/ledger answered ${status}`);
  return json as Ledger;
}

/**
 * What the server's own books get wrong about what its clients saw, while they go on. Every acknowledged group must have
 * been produced, and nothing can have been produced that no client began; the rest is under way.
 */
export async function auditLedger(load: Load): Promise<string[]> {
  const { history, name } = load;
  const acknowledgedBefore = history.acknowledged;
  const { produced, balanced } = await readLedger(load);
  const faults: string[] = [];
  if (!balanced) faults.push(`${name}: the ledger does not balance`);
  if (produced < acknowledgedBefore) {
    faults.push(`${name}: ${acknowledgedBefore - produced} acknowledged groups are lost`);
  }
  if (produced > history.begun) faults.push(`${name}: ${produced - history.begun} groups are stored twice`);
  if (name === 'native' && history.twice > 0) faults.push(`${name}: ${history.twice} groups are trained twice`);
  return faults;
}
