import type { AuditPublicKey } from '@lachesis/store';
import { z } from 'zod';
import type { Route } from '../http/route.ts';

const auditKeySchema = z.object({ key_id: z.string(), public_key: z.string() });

/** Who holds an export asks here what to check it with. */
export function createAuditKeyRoute({ keyId, pem }: Pick<AuditPublicKey, 'keyId' | 'pem'>): Route {
  return {
    method: 'GET',
    path: '/v1/audit/key',
    scope: 'view',
    audit: 'none',
    perRun: false,
    summary: 'The public key that the audit log is signed with.',
    response: { contentType: 'application/json', schema: auditKeySchema },
    handle: async (): Promise<z.infer<typeof auditKeySchema>> => ({ key_id: keyId, public_key: pem }),
  };
}
