import { captureReceiptSchema, captureRequestSchema, type CaptureReceipt } from '@lachesis/protocol';
import { recordCaptures } from '@lachesis/store';
import type { Route } from '../../platform/http/route.ts';
import type { LibraryParts } from './library-parts.ts';
import { readBody } from './read-body.ts';

/** Where recorders send what they saw. */
export function createRecordRoutes({ store, blobs, ids, redact }: LibraryParts): Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/records',
      scope: 'inference:call',
      perRun: false,
      summary: 'Keep what a recorder saw. Answered after the commit; the same record may be sent again.',
      body: { contentType: 'application/json', schema: captureRequestSchema },
      response: { contentType: 'application/json', schema: captureReceiptSchema },
      handle: async ({ request, principal }): Promise<CaptureReceipt> => {
        const { records } = readBody(request, captureRequestSchema);
        const receipts = await recordCaptures({
          store,
          blobs,
          tenantId: principal.tenantId,
          records: records.map((record) => redact(record)),
          ids,
        });
        return { receipts };
      },
    },
  ];
}
