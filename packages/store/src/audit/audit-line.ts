import type { AuditLinesTable } from '../schema/history.ts';

/** What is written down of an action. No field holds what a caller sent: ids, names of routes, codes and numbers only. */
export interface AuditEntry {
  /** Milliseconds since the epoch, by the clock of who writes. */
  at: number;
  /** Empty for a caller who was refused before it was known whose it is. */
  tenantId: string;
  /** A route (`DELETE /v1/trajectories/:id`) or a command (`token create`). */
  action: string;
  /** Null for who needs none: this machine, before there is a token, and commands. */
  tokenId: string | null;
  /** An address, or `cli:<user>` for a command. */
  from: string;
  /** Which program wrote it: `control`, `trajectory-api`, `cli`. */
  by: string;
  /** Ids of what it was done to. */
  things: Readonly<Record<string, string>>;
  /** `ok`, or the code of the refusal. */
  result: string;
  /** The status of the reply; absent for commands. */
  status?: number | undefined;
  /** More than one: that many alike, up to `until`. */
  count: number;
  until?: number | undefined;
}

/** An entry in its place in the log. */
export interface AuditLine extends AuditEntry {
  cursor: number;
  previousHash: string;
  hash: string;
  keyId: string;
  signature: string;
}

type AuditData = Omit<AuditEntry, 'at' | 'tenantId' | 'action'>;

/** What stands in the column `data`. */
export function toAuditData(
  entry: AuditEntry,
): Record<string, string | number | null | Readonly<Record<string, string>>> {
  const { tokenId, from, by, things, result, status, count, until } = entry;
  return {
    tokenId,
    from,
    by,
    things,
    result,
    count,
    ...(status === undefined ? {} : { status }),
    ...(until === undefined ? {} : { until }),
  };
}

/** Reads a row that may have been tampered with: what does not parse is shown as it is, and `verify` names it. */
export function toAuditLine(row: AuditLinesTable): AuditLine {
  return {
    at: row.at,
    tenantId: row.tenant_id,
    action: row.action,
    ...readData(row.data),
    cursor: row.cursor,
    previousHash: row.previous_hash,
    hash: row.hash,
    keyId: row.key_id,
    signature: row.signature,
  };
}

function readData(text: string): AuditData {
  const unreadable: AuditData = {
    tokenId: null,
    from: '',
    by: '',
    things: {},
    result: 'unreadable',
    count: 1,
  };
  try {
    return { ...unreadable, ...(JSON.parse(text) as AuditData) };
  } catch {
    return unreadable; // The line is listed all the same; that it does not verify is said by `verify`.
  }
}
