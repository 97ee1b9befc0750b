import type { EventsTable } from '../schema/history.ts';
import { type JsonValue, toCanonicalJson } from './canonical-json.ts';
import { chainEvent, FIRST_PREVIOUS_HASH } from './chain-event.ts';

/** The last link that is known to be good. */
export interface ChainLink {
  cursor: number;
  hash: string;
}

export type ChainVerdict = { ok: true; last: ChainLink } | { ok: false; cursor: number; reason: string };

/**
 * Checks rows in cursor order, from `after` or from the first event on, and names the first bad one. Pages are checked
 * one after another by passing `last` on. Rows missing at the very end show only against a head kept elsewhere: compare
 * it with `last`.
 */
export function verifyChain(
  rows: Iterable<EventsTable>,
  after: ChainLink = { cursor: 0, hash: FIRST_PREVIOUS_HASH },
): ChainVerdict {
  let last = after;
  for (const row of rows) {
    const cursor = last.cursor + 1;
    const reason = findFault(row, last);
    // A gap is the fault of the missing row, so it is named by the cursor that should have come.
    if (reason !== undefined) return { ok: false, cursor, reason };
    last = { cursor: row.cursor, hash: row.hash };
  }
  return { ok: true, last };
}

function findFault(row: EventsTable, last: ChainLink): string | undefined {
  if (row.cursor !== last.cursor + 1) return `the event is missing; the next one found is ${row.cursor}`;
  if (row.previous_hash !== last.hash) return 'it does not name the event before it';
  const data = parseCanonical(row.data);
  if (data === undefined) return 'its data is not the canonical JSON that was written';
  const { tenant_id: tenantId, run_id: runId, cursor, kind, at } = row;
  const hash = chainEvent(row.previous_hash, { tenantId, runId, cursor, kind, at, data });
  return hash === row.hash ? undefined : 'its fields do not match its hash';
}

/** Undefined for text that is not canonical: a blank added or a key doubled parses to the same value. */
function parseCanonical(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return toCanonicalJson(value) === text ? value : undefined;
  } catch {
    return undefined; // Damaged beyond parsing: the caller reports it.
  }
}
