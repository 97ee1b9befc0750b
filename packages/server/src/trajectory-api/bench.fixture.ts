import { createToken, openStore, type Store } from '@lachesis/store';
import type { Scope } from '@lachesis/protocol';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { readTrajectoryApiSettings, type TrajectoryApiSettings } from '../http/settings/trajectory-api-settings.ts';
import { buildTrajectoryApi, type BuiltTrajectoryApi, type TrajectoryApiReplacements } from './build.ts';

/** The real trajectory API over SQLite in a folder of its own; requests are injected. */
export interface ApiBench extends AsyncDisposable {
  readonly api: BuiltTrajectoryApi;
  readonly store: Store;
}

export async function createApiBench(
  settings: Partial<TrajectoryApiSettings> = {},
  prepare: (store: Store) => Promise<unknown> = async () => undefined,
  replace: TrajectoryApiReplacements = {},
): Promise<ApiBench> {
  const home = settings.home ?? (await mkdtemp(join(tmpdir(), 'lachesis-api-')));
  const { values } = readTrajectoryApiSettings({ ingestWorkers: 1, diskReserve: 0, ...settings, home }, {});
  const store = await openStore({ sqlitePath: join(home, 'lachesis.db') });
  const remove = async (): Promise<void> => {
    await store.close();
    await rm(home, { recursive: true, force: true });
  };
  try {
    await prepare(store);
    const log = pino({ level: 'silent' });
    const api = await buildTrajectoryApi({ settings: values, log, instanceId: 'bench', replace });
    return {
      api,
      store,
      async [Symbol.asyncDispose]() {
        await api.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

export async function makeToken(
  store: Store,
  tenantId: string,
  scopes: readonly Scope[],
  options: Partial<Parameters<typeof createToken>[0]> = {},
): Promise<{ token: string; tokenId: string }> {
  return createToken({ store, tenantId, name: scopes.join(' '), scopes, ...options });
}
