import { createHash } from 'node:crypto';
import { toCanonicalJson } from './canonical-json.ts';
import type { JsonValue } from './canonical-json.ts';

/** An event before it is linked. */
export interface ChainedEvent {
  tenantId: string;
  runId: string;
  cursor: number;
  kind: string;
  at: number;
  data: JsonValue;
}

/** What the first event of a run names as its predecessor. */
export const FIRST_PREVIOUS_HASH = '';

/** The event's link: sha256 over the canonical JSON of the event and the link before it. */
export function chainEvent(previousHash: string, event: ChainedEvent): string {
  const { tenantId, runId, cursor, kind, at, data } = event;
  const text = toCanonicalJson({ previousHash, tenantId, runId, cursor, kind, at, data });
  return createHash('sha256').update(text).digest('hex');
}
