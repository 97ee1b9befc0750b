import { isName } from '@lachesis/protocol';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LOCAL_TENANT } from '../platform/access/principal.ts';

/** The tenant comes from the token and is not written into records, so that each has a folder of its own. */
export const outboxOf = (home: string, tenantId: string): string =>
  tenantId === LOCAL_TENANT ? join(home, 'outbox') : join(home, 'outbox-tenants', toFolderName(tenantId));

/** Names are checked where tokens are made; one that is older must not lead out of the folder either. */
const toFolderName = (tenantId: string): string =>
  isName('tenant', tenantId) ? tenantId : encodeURIComponent(tenantId).replaceAll('.', '%2E');

/** The tenants who have something in their outbox. */
export function listOutboxTenants(home: string): string[] {
  const others = join(home, 'outbox-tenants');
  const names = existsSync(others) ? readdirSync(others) : [];
  return [LOCAL_TENANT, ...names.map((name) => decodeURIComponent(name))].filter((tenantId) => {
    const folder = outboxOf(home, tenantId);
    return existsSync(folder) && readdirSync(folder, { withFileTypes: true }).some((entry) => entry.isDirectory());
  });
}
