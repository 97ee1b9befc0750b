import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createTestDatabase } from '../../kit/create-test-database.ts';
import type { TestDatabase } from '../../kit/create-test-database.ts';
import { startRunApi } from '../../peers/atropos/start-run-api.ts';
import { startServer } from '../../peers/atropos/start-server.ts';
import { removeFolder } from '../../kit/remove-folder.ts';

/** Who is measured: the original, and ours over each database. */
export type ContenderName = 'run-api' | OurName;
export type OurName = 'sqlite' | 'postgres';
export const OUR_NAMES: readonly OurName[] = ['sqlite', 'postgres'];

/** A server that was just started and holds nothing. */
export interface Contender extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly metricsUrl?: string;
  /** Roots of process trees that work for it but are not its own: Postgres. */
  readonly helperPids: readonly number[];
  /** Its last output, for the message of a run that failed. */
  logs(): string;
}

export type StartContender = (name: ContenderName) => Promise<Contender>;

/** Starts contenders; `postgresUrl` is asked for only when one needs it. */
export function createStarter(options: { postgresUrl: () => Promise<string> }): StartContender {
  return async (name) => {
    if (name === 'run-api') return startOriginal();
    const database =
      name === 'postgres'
        ? await createTestDatabase({ serverUrl: await options.postgresUrl(), prefix: 'lachesis_bench' })
        : undefined;
    try {
      return await startOurs(database);
    } catch (error) {
      await database?.drop();
      throw error;
    }
  };
}

async function startOriginal(): Promise<Contender> {
  const api = await startRunApi();
  return {
    url: api.url,
    pid: api.pid,
    helperPids: [],
    logs: () => api.process.logs(),
    // It keeps nothing, so there is nothing to end gracefully; asked politely it first works off its queue for many seconds.
    [Symbol.asyncDispose]: async () => void (await api.process.stop({ signal: 'SIGKILL' })),
  };
}

async function startOurs(database: TestDatabase | undefined): Promise<Contender> {
  // On the disk of the temporary folder, not in memory: an acknowledgement that is not fsynced would be cheating.
  const home = await mkdtemp(join(tmpdir(), 'lachesis-bench-home-'));
  const removeHome = (): Promise<void> => removeFolder(home);
  const server = await startServer({ home, ...(database === undefined ? {} : { databaseUrl: database.url }) }).catch(
    async (error: unknown) => {
      await removeHome();
      throw error;
    },
  );
  return {
    url: server.url,
    pid: server.pid,
    metricsUrl: `${server.url}/metrics`,
    helperPids: database?.postmasterPid === undefined ? [] : [database.postmasterPid],
    logs: () => server.process.logs(),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await database?.drop();
      await removeHome();
    },
  };
}
