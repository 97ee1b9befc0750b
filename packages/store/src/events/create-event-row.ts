import type { EventsTable } from '../schema/history.ts';
import { toCanonicalJson } from './canonical-json.ts';
import { type ChainedEvent, chainEvent } from './chain-event.ts';

/** The row of an event; its data is stored as the text that was hashed. */
export function createEventRow(previousHash: string, event: ChainedEvent): EventsTable {
  return {
    tenant_id: event.tenantId,
    run_id: event.runId,
    cursor: event.cursor,
    kind: event.kind,
    at: event.at,
    data: toCanonicalJson(event.data),
    previous_hash: previousHash,
    hash: chainEvent(previousHash, event),
  };
}
