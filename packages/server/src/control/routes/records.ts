import { captureReceiptSchema, captureRequestSchema, LachesisError, type CaptureReceipt } from '@lachesis/protocol';
import { TrajectoryOwnedError } from '@lachesis/store';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { defineRoute } from '../../http/define-route.ts';
import { jsonListBody } from '../../http/read-body.ts';
import { LARGE_BODY, type Route } from '../../http/route.ts';
import { ingestRecords, type IngestOptions } from '../../services/library/ingest-records.ts';
import type { LibraryDeps } from './library-deps.ts';
import { restrictRecord } from '../../services/library/restrict-record.ts';

/** Each commit takes the event loop for a while. Who is cut off in between sends all again: what is kept is a repeat. */
const RECORDS_AT_ONCE = 25;

/** Where recorders send what they saw. */
export function createRecordRoutes(parts: LibraryDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/records',
      scope: 'records:write',
      summary: 'Keep what a recorder saw. Answered after the commit; the same record may be sent again.',
      body: jsonListBody(captureRequestSchema, 'records'),
      maxBodyBytes: LARGE_BODY,
      reply: captureReceiptSchema,
      handle: async ({ principal, body: { records }, releaseBody }) => {
        releaseBody();
        const { tenantId, tokenId, scopes } = principal;
        // Whoever may do everything may also go on with what others began.
        const owner = scopes.includes('admin') ? null : tokenId;
        const allowed = records.map((record, index) => restrictRecord(record, index));
        const receipts: CaptureReceipt['receipts'] = [];
        for (let start = 0; start < records.length; start += RECORDS_AT_ONCE) {
          const some = allowed.slice(start, start + RECORDS_AT_ONCE);
          receipts.push(...(await store({ parts, tenantId, records: some, owner })));
          await nextTurn();
        }
        return { receipts };
      },
    }),
  ];
}

async function store(options: IngestOptions): Promise<CaptureReceipt['receipts']> {
  try {
    return await ingestRecords(options);
  } catch (error) {
    if (!TrajectoryOwnedError.isInstance(error)) throw error;
    // Not 403: a recorder puts a record aside that is at fault, and would wait with all others for a right to change.
    throw new LachesisError({
      code: 'invalid',
      message: error.message,
      issues: [{ sequence: null, field: `record ${error.recordId}`, message: 'names a trajectory of another token' }],
      cause: error,
    });
  }
}
