import { exportAudit, retainAudit, type Store } from '@lachesis/store';
import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditLog } from './open-audit-log.ts';

const DAY_MS = 86_400_000;

export interface RetainAuditLogOptions {
  store: Store;
  audit: Pick<AuditLog, 'key' | 'record'>;
  days: number;
  /** Folder for the lines that go; they are gone for good without it. */
  archive: string | undefined;
  now?: () => number;
}

/** Lets go of lines of the audit log that are older than so many days, and writes down that it did. */
export async function retainAuditLog(options: RetainAuditLogOptions): Promise<{ lines: number }> {
  const { store, audit, days, archive, now = Date.now } = options;
  const { lines, upToCursor } = await retainAudit({
    ...{ store, key: audit.key, olderThan: now() - days * DAY_MS, now },
    ...(archive === undefined ? {} : { archive: (range) => writeArchive({ store, audit, archive, now }, range) }),
  });
  if (lines > 0) audit.record({ action: 'audit retain', things: { lines: String(lines), up_to: String(upToCursor) } });
  return { lines };
}

/** Whole or not at all: the lines go once the file has its name and is on disk. */
async function writeArchive(
  {
    store,
    audit,
    archive,
    now,
  }: Required<Pick<RetainAuditLogOptions, 'store' | 'audit' | 'now'>> & { archive: string },
  range: { afterCursor: number; upToCursor: number },
): Promise<void> {
  await mkdir(archive, { recursive: true, mode: 0o700 });
  const path = join(archive, `audit-${range.afterCursor + 1}-${range.upToCursor}.jsonl`);
  const draft = `${path}.part`;
  const file = await open(draft, 'w', 0o600);
  try {
    for await (const line of exportAudit({ store, key: audit.key, ...range, now })) await file.write(`${line}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}
