import { openAuditKey, readAuditPublicKey, type AuditKey, type AuditPublicKey, type Store } from '@lachesis/store';
import { readFile } from 'node:fs/promises';
import { fail } from '../../terminal/fail.ts';
import { openLocalStore, readStorePlace } from '../../flags/library/open-local-store.ts';

/** Where the log is; every command that reads it takes these. */
export const auditPlaceFlags = {
  home: { type: 'string', description: 'folder of the SQLite database and of the key [LACHESIS_HOME]' },
  'database-url': { type: 'string', description: 'postgres:// URL instead of SQLite [DATABASE_URL]' },
} as const;

export const jsonFlag = { json: { type: 'boolean', description: 'print JSON' } } as const;

export interface OpenAudit {
  store: Store;
  home: string;
  key: AuditKey;
}

/** Opens the store of this machine and the key of its home for one command. */
export async function withAudit(
  args: Record<string, unknown>,
  work: (audit: OpenAudit) => Promise<void>,
): Promise<void> {
  const place = readStorePlace(args);
  await using local = await openLocalStore(place);
  await work({ store: local.store, home: place.home, key: await openAuditKey(place.home) });
}

/** The public keys in these files, separated by commas. */
export async function readKeyFiles(files: string | undefined): Promise<AuditPublicKey[]> {
  const paths = (files ?? '').split(',').filter((path) => path !== '');
  return await Promise.all(
    paths.map(async (path) => {
      try {
        return readAuditPublicKey(await readFile(path, 'utf8'));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        return fail(`${path} holds no public key of an audit log (${reason}). \`lachesis audit key\` prints one.`);
      }
    }),
  );
}
