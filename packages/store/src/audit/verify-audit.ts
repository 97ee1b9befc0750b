import type { Store } from '../database/store.ts';
import { verifyChain, type ChainLink } from '../events/verify-chain.ts';
import type { AuditHeadsTable, AuditLinesTable } from '../schema/history.ts';
import type { AuditPublicKey } from './audit-key.ts';
import { headStatement, lineStatement, startStatement } from './audit-statements.ts';
import { readAuditHead, readAuditPage } from './read-audit.ts';

/** A line that somebody outside the database remembers. */
export interface AuditAnchor {
  logId: string;
  cursor: number;
  hash: string;
  /** Who remembers it, for the message. */
  source: string;
}

/** Either the log is whole, from one line to another, or the first line that is not as it was written. */
export type AuditVerdict =
  | { ok: true; logId: string | undefined; lines: number; from: ChainLink; to: ChainLink }
  | { ok: false; cursor: number; reason: string };

/** The two halves of the proof; each alone leaves changes unseen. */
export interface AuditChecks {
  chain: typeof verifyChain;
  isSigned(statement: string, by: { keyId: string; signature: string }): boolean;
}

export interface VerifyAuditOptions {
  store: Pick<Store, 'db'>;
  /** Whose signatures count. */
  keys: readonly AuditPublicKey[];
  anchors?: readonly AuditAnchor[];
  checks?: (real: AuditChecks) => AuditChecks;
}

/** Lines may be let go of while they are read; then it is read anew. */
const MOST_READINGS = 5;

/** Reads the whole log and names the first line that is not as it was written, or is missing. */
export async function verifyAudit(options: VerifyAuditOptions): Promise<AuditVerdict> {
  const { store, keys, anchors = [] } = options;
  const real = createChecks(keys);
  const checks = options.checks?.(real) ?? real;
  for (let readings = 1; ; readings += 1) {
    const head = await readAuditHead(store);
    if (head === undefined) return judgeHeadless(store, anchors);
    const walked = await walk({ store, keys, anchors, checks }, head);
    const after = await readAuditHead(store);
    if (after?.start_cursor === head.start_cursor || readings >= MOST_READINGS) return walked;
  }
}

/** Checks one line behind the last good one; undefined when it is as it was written. */
export function findLineFault(
  row: AuditLinesTable,
  {
    logId,
    last,
    checks,
    keys,
  }: { logId: string; last: ChainLink; checks: AuditChecks; keys: readonly AuditPublicKey[] },
): string | undefined {
  const { tenant_id, cursor, action: kind, at, data, previous_hash, hash } = row;
  const chained = checks.chain([{ tenant_id, run_id: logId, cursor, kind, at, data, previous_hash, hash }], last);
  if (!chained.ok) return chained.reason.replace('the event', 'the line');
  if (checks.isSigned(lineStatement(hash), { keyId: row.key_id, signature: row.signature })) return undefined;
  return describeSigner('its signature', row.key_id, keys);
}

export function createChecks(keys: readonly AuditPublicKey[]): AuditChecks {
  return {
    chain: verifyChain,
    isSigned: (statement, { keyId, signature }) =>
      keys.find((key) => key.keyId === keyId)?.isSignature(statement, signature) === true,
  };
}

interface Walk {
  store: Pick<Store, 'db'>;
  keys: readonly AuditPublicKey[];
  anchors: readonly AuditAnchor[];
  checks: AuditChecks;
}

async function walk({ store, keys, anchors, checks }: Walk, head: AuditHeadsTable): Promise<AuditVerdict> {
  const { log_id: logId } = head;
  const from: ChainLink = { cursor: head.start_cursor, hash: head.start_hash };
  const wrong = (cursor: number, reason: string): AuditVerdict => ({ ok: false, cursor, reason });
  const stranger = anchors.find((anchor) => anchor.logId !== logId);
  if (stranger !== undefined) {
    return wrong(from.cursor + 1, `this is another log than the one that ${stranger.source} knows`);
  }
  if (!checks.isSigned(startStatement(head), { keyId: head.start_key_id, signature: head.start_signature })) {
    return wrong(from.cursor + 1, describeSigner('the signature of where the log begins', head.start_key_id, keys));
  }
  const [early] = await readAuditPage({ store, afterCursor: -1, limit: 1 });
  if (early !== undefined && early.cursor <= from.cursor) {
    return wrong(early.cursor, `the log begins behind line ${from.cursor}, and this line stands before it`);
  }
  let last = from;
  for (;;) {
    const page = await readAuditPage({ store, afterCursor: last.cursor });
    for (const row of page) {
      const reason =
        findLineFault(row, { logId, last, checks, keys }) ??
        findAnchorFault({ cursor: row.cursor, hash: row.hash }, anchors);
      if (reason !== undefined) return wrong(last.cursor + 1, reason);
      last = { cursor: row.cursor, hash: row.hash };
    }
    if (page.length > 0) continue;
    // Read behind the lines: whoever wrote meanwhile has moved it, and never to less than what was read.
    const end = await readAuditHead(store);
    if (end !== undefined && end.cursor > last.cursor) {
      const [more] = await readAuditPage({ store, afterCursor: last.cursor, limit: 1 });
      if (more !== undefined) continue;
    }
    return judgeEnd({ keys, anchors, checks }, { end, from, last });
  }
}

function judgeEnd(
  { keys, anchors, checks }: Omit<Walk, 'store'>,
  { end, from, last }: { end: AuditHeadsTable | undefined; from: ChainLink; last: ChainLink },
): AuditVerdict {
  const next = last.cursor + 1;
  if (end === undefined) return { ok: false, cursor: next, reason: 'where the log ends is not written down any more' };
  if (end.cursor > last.cursor)
    return { ok: false, cursor: next, reason: `it is missing; the log goes on to ${end.cursor}` };
  if (end.cursor < last.cursor) {
    return {
      ok: false,
      cursor: end.cursor + 1,
      reason: `the log ends at line ${end.cursor}, and this line stands behind it`,
    };
  }
  if (end.hash !== last.hash)
    return { ok: false, cursor: last.cursor, reason: 'the end of the log names another line' };
  if (!checks.isSigned(headStatement(end), { keyId: end.key_id, signature: end.signature })) {
    const reason = describeSigner('the signature of where the log ends', end.key_id, keys);
    return { ok: false, cursor: last.cursor, reason };
  }
  const cut = anchors.find((anchor) => anchor.cursor > last.cursor);
  if (cut !== undefined) {
    return { ok: false, cursor: next, reason: `it is missing; ${cut.source} knows the log up to line ${cut.cursor}` };
  }
  const older = findAnchorFault(from, anchors);
  if (older !== undefined) return { ok: false, cursor: from.cursor, reason: older };
  return { ok: true, logId: end.log_id, lines: last.cursor - from.cursor, from, to: last };
}

function findAnchorFault({ cursor, hash }: ChainLink, anchors: readonly AuditAnchor[]): string | undefined {
  const other = anchors.find((anchor) => anchor.cursor === cursor && anchor.hash !== hash);
  return other === undefined ? undefined : `${other.source} knows another line with this number`;
}

async function judgeHeadless(store: Pick<Store, 'db'>, anchors: readonly AuditAnchor[]): Promise<AuditVerdict> {
  const [first] = await readAuditPage({ store, afterCursor: -1, limit: 1 });
  const [anchor] = anchors;
  if (first !== undefined) {
    return { ok: false, cursor: first.cursor, reason: 'there are lines, and where the log begins and ends is gone' };
  }
  if (anchor !== undefined) {
    return {
      ok: false,
      cursor: 1,
      reason: `it is missing; ${anchor.source} knows the log up to line ${anchor.cursor}`,
    };
  }
  const none = { cursor: 0, hash: '' };
  return { ok: true, logId: undefined, lines: 0, from: none, to: none };
}

function describeSigner(what: string, keyId: string, keys: readonly AuditPublicKey[]): string {
  if (keys.some((key) => key.keyId === keyId)) return `${what} does not fit`;
  return `${what} is by the key ${keyId}, which is not known here. If another machine writes to this log, hand in its public key with --key`;
}
