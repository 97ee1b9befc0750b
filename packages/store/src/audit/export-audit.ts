import type { Store } from '../database/store.ts';
import { toCanonicalJson, type JsonValue } from '../events/canonical-json.ts';
import type { ChainLink } from '../events/verify-chain.ts';
import type { AuditLinesTable } from '../schema/history.ts';
import type { AuditKey, AuditPublicKey } from './audit-key.ts';
import { readAuditHead, readAuditPage } from './read-audit.ts';
import { createChecks, findLineFault, type AuditAnchor, type AuditVerdict } from './verify-audit.ts';

const FORMAT = 'lachesis-audit/1';

interface ExportSeal {
  format: string;
  log_id: string;
  from: ChainLink;
  to: ChainLink;
  at: number;
  key_id: string;
}

/**
 * The log, or its newer part, as lines of JSON: a heading, the lines with their signatures, and a seal over both ends. It
 * verifies without the database, with the public key alone.
 */
export async function* exportAudit(options: {
  store: Pick<Store, 'db'>;
  key: AuditKey;
  /** Lines after this one; what is left is all there is by default. */
  afterCursor?: number;
  upToCursor?: number;
  now: () => number;
}): AsyncGenerator<string> {
  const { store, key, now } = options;
  const head = await readAuditHead(store);
  if (head === undefined) return;
  const after = Math.max(options.afterCursor ?? 0, head.start_cursor);
  const to = Math.min(options.upToCursor ?? head.cursor, head.cursor);
  yield toCanonicalJson({ format: FORMAT, log_id: head.log_id, keys: [key.pem] });
  let from: ChainLink | undefined;
  let last: ChainLink = { cursor: after, hash: head.start_hash };
  while (last.cursor < to) {
    const page = await readAuditPage({ store, afterCursor: last.cursor });
    if (page.length === 0) break;
    for (const row of page) {
      if (row.cursor > to) break;
      from ??= { cursor: row.cursor - 1, hash: row.previous_hash };
      yield toCanonicalJson({ ...row });
      last = { cursor: row.cursor, hash: row.hash };
    }
    if ((page.at(-1)?.cursor ?? 0) >= to) break;
  }
  const seal: ExportSeal = {
    ...{ format: FORMAT, log_id: head.log_id, from: from ?? last, to: last, at: now(), key_id: key.keyId },
  };
  yield toCanonicalJson({ ...sealText(seal), signature: key.sign(sealStatement(seal)) });
}

/** Whether an export is as it was written. Its lines are numbered as in the log. */
export async function verifyAuditExport(options: {
  lines: AsyncIterable<string>;
  keys: readonly AuditPublicKey[];
}): Promise<AuditVerdict> {
  const { keys } = options;
  const checks = createChecks(keys);
  let logId: string | undefined;
  let from: ChainLink | undefined;
  let last: ChainLink = { cursor: 0, hash: '' };
  let sealed: ExportSeal | undefined;
  for await (const text of options.lines) {
    if (sealed !== undefined) return wrong(last.cursor + 1, 'something stands behind the seal');
    const value = parseCanonical(text);
    if (value === undefined) return wrong(last.cursor + 1, 'it is not the JSON that was written');
    if (logId === undefined) {
      if (value['format'] !== FORMAT || typeof value['log_id'] !== 'string') {
        return wrong(0, `the first line does not say that this is a ${FORMAT}`);
      }
      logId = value['log_id'];
    } else if (isSeal(value)) {
      sealed = value;
      const { key_id: keyId, signature } = value;
      if (!checks.isSigned(sealStatement(sealed), { keyId, signature }))
        return wrong(last.cursor + 1, 'the seal does not fit');
    } else if (isRow(value)) {
      const row = value;
      from ??= { cursor: row.cursor - 1, hash: row.previous_hash };
      const reason = findLineFault(row, { logId, last: last.cursor === 0 ? from : last, checks, keys });
      if (reason !== undefined) return wrong((last.cursor === 0 ? from : last).cursor + 1, reason);
      last = { cursor: row.cursor, hash: row.hash };
    } else {
      return wrong(last.cursor + 1, 'it is neither a line of the log nor the seal');
    }
  }
  if (sealed === undefined || logId === undefined)
    return wrong(last.cursor + 1, 'it is missing, and so is the seal at the end');
  const begin = from ?? sealed.from;
  const end = from === undefined ? begin : last;
  if (sealed.log_id !== logId) return wrong(begin.cursor + 1, 'the seal is of another log');
  if (!isSame(sealed.from, begin)) return wrong(sealed.from.cursor + 1, 'it is missing; the seal begins with it');
  if (!isSame(sealed.to, end))
    return wrong(end.cursor + 1, `it is missing; the seal goes up to line ${sealed.to.cursor}`);
  return { ok: true, logId, lines: end.cursor - begin.cursor, from: begin, to: end };
}

/** The newest line of an export that verifies, to hold a log against. */
export function toAuditAnchor(verdict: AuditVerdict & { ok: true }, source: string): AuditAnchor | undefined {
  const { logId, to } = verdict;
  return logId === undefined ? undefined : { logId, ...to, source };
}

function wrong(cursor: number, reason: string): AuditVerdict {
  return { ok: false, cursor, reason };
}

function isSame(one: ChainLink, other: ChainLink): boolean {
  return one.cursor === other.cursor && one.hash === other.hash;
}

function sealText({ format, log_id, from, to, at, key_id }: ExportSeal): Record<string, JsonValue> {
  return { format, log_id, from: { ...from }, to: { ...to }, at, key_id };
}

function sealStatement(seal: ExportSeal): string {
  return `lachesis-audit-export ${toCanonicalJson(sealText(seal))}`;
}

type Shape = Readonly<Record<string, 'string' | 'number' | Readonly<Record<string, 'string' | 'number'>>>>;

const LINK = { cursor: 'number', hash: 'string' } as const;
const SEAL: Shape = {
  ...{ format: 'string', log_id: 'string', from: LINK, to: LINK, at: 'number', key_id: 'string', signature: 'string' },
};
const ROW: Shape = {
  ...{ tenant_id: 'string', cursor: 'number', action: 'string', at: 'number', data: 'string' },
  ...{ previous_hash: 'string', hash: 'string', key_id: 'string', signature: 'string' },
};

/** These fields and no other: what is not signed must not stand beside what is. */
function hasShape(value: JsonValue | undefined, shape: Shape): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const fields = value as Readonly<Record<string, JsonValue>>;
  if (Object.keys(fields).length !== Object.keys(shape).length) return false;
  return Object.entries(shape).every(([name, kind]) =>
    typeof kind === 'string' ? typeof fields[name] === kind : hasShape(fields[name], kind),
  );
}

function isSeal(value: object): value is ExportSeal & { signature: string } {
  return hasShape(value as JsonValue, SEAL);
}

function isRow(value: object): value is AuditLinesTable {
  return hasShape(value as JsonValue, ROW);
}

/** Undefined for a line that is no object, or is written in another way than ours. */
function parseCanonical(text: string): Record<string, JsonValue> | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return toCanonicalJson(value) === text ? (value as Record<string, JsonValue>) : undefined;
  } catch {
    return undefined; // The caller reports the line.
  }
}
