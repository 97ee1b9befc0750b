import { countTokens, openHome, type Home } from '@lachesis/store';
import { mkdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import { findExposure } from '../http/access/check-exposure.ts';
import { SettingError } from '../http/settings/setting-error.ts';

type OpenHomeOptions = Parameters<typeof openHome>[0];

/** Opens the home of a server. Refuses an address that needs tokens while there are none. */
export async function openServerHome(options: {
  settings: { home: string; host: string; databaseUrl: string | undefined };
  log: Logger;
  /** Parts that a test replaces. */
  replace?: Pick<OpenHomeOptions, 'claimLibrary' | 'openStore'>;
}): Promise<Home> {
  const { settings, log, replace } = options;
  await mkdir(settings.home, { recursive: true });
  const home = await openHome({
    ...{ home: settings.home, databaseUrl: settings.databaseUrl, ...replace },
    onBackgroundError: (error) => log.warn({ err: error }, 'a database connection broke'),
  });
  try {
    const exposure = findExposure(settings.host, await countTokens({ store: home.store }));
    if (exposure !== null) throw new SettingError(exposure);
    return home;
  } catch (error) {
    await home.close();
    throw error;
  }
}
