import type { AuditPublicKey } from '@lachesis/store';
import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import type { Route } from '../route.ts';

const auditKeySchema = z.object({ key_id: z.string(), public_key: z.string() });

/** Who holds an export asks here what to check it with. */
export function createAuditKeyRoute({ keyId, pem }: Pick<AuditPublicKey, 'keyId' | 'pem'>): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/audit/key',
    scope: 'view',
    audit: 'none',
    summary: 'The public key that the audit log is signed with.',
    reply: auditKeySchema,
    handle: async () => ({ key_id: keyId, public_key: pem }),
  });
}
