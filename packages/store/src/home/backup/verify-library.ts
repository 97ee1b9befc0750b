import { homePaths } from '@lachesis/protocol/home';
import { existsSync } from 'node:fs';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { openAuditKey } from '../../audit/audit-key.ts';
import { verifyAudit } from '../../audit/verify-audit.ts';
import { mapAtOnce } from '../../blobs/s3/map-at-once.ts';
import type { Store } from '../../database/store.ts';
import { BlobCorruptError, BlobMissingError } from '../../errors/blob-errors.ts';
import { verifyChain, type ChainLink } from '../../events/verify-chain.ts';
import { readEventsBegin } from '../../retention/retain-events.ts';

export interface VerifyLibraryOptions {
  store: Store;
  blobs: Pick<BlobStore, 'get'>;
  /** The folder with the key of the audit log. */
  home: string;
  /** Payloads that rows name and that are known to be gone. */
  letGo?: readonly string[];
  /** A part that a test replaces. */
  verifyChain?: typeof verifyChain;
}

/** What was looked at, and everything that is not as it was written. */
export interface LibraryVerdict {
  payloads: number;
  bytes: number;
  chains: number;
  events: number;
  auditLines: number;
  faults: string[];
}

const PAGE = 1_000;
const READS_AT_ONCE = 4;
/** More say nothing more. */
const MOST_FAULTS = 100;

/** Reads every payload that a row names, every chain of events and the audit log, and names what is not as it was written. */
export async function verifyLibrary(options: VerifyLibraryOptions): Promise<LibraryVerdict> {
  const verdict: LibraryVerdict = { payloads: 0, bytes: 0, chains: 0, events: 0, auditLines: 0, faults: [] };
  const blame = (fault: string): void => {
    if (verdict.faults.length < MOST_FAULTS) verdict.faults.push(fault);
  };
  await verifyPayloads(options, verdict, blame);
  await verifyEvents(options, verdict, blame);
  await verifyLog(options, verdict, blame);
  return verdict;
}

type Blame = (fault: string) => void;

async function verifyPayloads(options: VerifyLibraryOptions, verdict: LibraryVerdict, blame: Blame): Promise<void> {
  const { store, blobs, letGo = [] } = options;
  const known = new Set(letGo);
  let after = '';
  for (;;) {
    const rows = await store.db
      .selectFrom('blob_references')
      .select('digest')
      .distinct()
      .where('digest', '>', after)
      .where('reference_count', '>', 0)
      .orderBy('digest')
      .limit(PAGE)
      .execute();
    await mapAtOnce(rows, READS_AT_ONCE, async ({ digest }) => {
      try {
        const { byteLength } = await blobs.get(digest);
        verdict.bytes += byteLength;
        verdict.payloads += 1;
      } catch (error) {
        if (BlobMissingError.isInstance(error)) {
          if (!known.has(digest)) blame(`payload ${digest} is missing`);
        } else if (BlobCorruptError.isInstance(error)) blame(`payload ${digest} is damaged`);
        else throw error;
      }
    });
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.digest;
  }
}

async function verifyEvents(options: VerifyLibraryOptions, verdict: LibraryVerdict, blame: Blame): Promise<void> {
  const { store, verifyChain: verify = verifyChain } = options;
  const runs = await store.db.selectFrom('events').select(['tenant_id', 'run_id']).distinct().execute();
  const heads = await store.db
    .selectFrom('training_runs')
    .select(['tenant_id', 'run_id', 'event_cursor', 'event_hash'])
    .execute();
  const headOf = new Map(heads.map((row) => [`${row.tenant_id}/${row.run_id}`, row]));
  for (const { tenant_id: tenantId, run_id: runId } of runs) {
    verdict.chains += 1;
    let last: ChainLink = await readEventsBegin({ store, tenantId, runId });
    let isWhole = true;
    for (;;) {
      const rows = await store.db
        .selectFrom('events')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('run_id', '=', runId)
        .where('cursor', '>', last.cursor)
        .orderBy('cursor')
        .limit(PAGE)
        .execute();
      const verified = verify(rows, last);
      if (!verified.ok) {
        blame(`event ${verified.cursor} of run ${runId}: ${verified.reason}`);
        isWhole = false;
        break;
      }
      verdict.events += rows.length;
      last = verified.last;
      if (rows.length < PAGE) break;
    }
    const head = headOf.get(`${tenantId}/${runId}`);
    if (isWhole && head !== undefined && (head.event_cursor !== last.cursor || head.event_hash !== last.hash)) {
      blame(`the events of run ${runId} end at ${last.cursor} and should end at ${head.event_cursor}`);
    }
  }
}

async function verifyLog({ store, home }: VerifyLibraryOptions, verdict: LibraryVerdict, blame: Blame): Promise<void> {
  const hasLines = (await store.db.selectFrom('audit_heads').select('log_id').executeTakeFirst()) !== undefined;
  if (!hasLines) return;
  if (!existsSync(homePaths(home).audit)) return blame('the audit log has lines, and its key is not in the home');
  const audit = await verifyAudit({ store, keys: [await openAuditKey(home)] });
  if (audit.ok) verdict.auditLines = audit.lines;
  else blame(`line ${audit.cursor} of the audit log: ${audit.reason}`);
}
