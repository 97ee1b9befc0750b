import { countTokens, openStore, type Store } from '@lachesis/store';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { findExposure } from '../platform/access/check-exposure.ts';
import { SettingError } from '../platform/settings/setting-error.ts';

/** Opens the store of a server: the database that was named, or SQLite in its home. Refuses an address that needs tokens while there are none. */
export async function openHomeStore(options: {
  settings: { home: string; host: string; databaseUrl: string | undefined };
  log: Logger;
}): Promise<Store> {
  const { settings, log } = options;
  await mkdir(settings.home, { recursive: true });
  const store = await openStore({
    ...(settings.databaseUrl === undefined
      ? { sqlitePath: join(settings.home, 'lachesis.db') }
      : { databaseUrl: settings.databaseUrl }),
    onBackgroundError: (error) => log.warn({ err: error }, 'a database connection broke'),
  });
  try {
    const exposure = findExposure(settings.host, await countTokens({ store }));
    if (exposure !== null) throw new SettingError(exposure);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}
