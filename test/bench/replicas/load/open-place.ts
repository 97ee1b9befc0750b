import pg from 'pg';

import { startReplicas, type ReplicasOptions } from '../../../chaos/replicas/subject/start-replicas.ts';
import { createTestDatabase } from '../../../kit/create-test-database.ts';
import { readProcessTree } from '../../../kit/read-process-tree.ts';
import { findPostgresUrl } from '../../../peers/postgres/find-postgres-url.ts';
import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import { NativeClient } from '../../trajectory-api/native/native-client.ts';
import { SEQUENCES } from './offer-groups.ts';

/** One server or several over a database of their own, with a run whose batches are eight groups. */
export interface Place {
  readonly databaseUrl: string;
  /** This process and the database, with all that they started. */
  readonly ownRoots: readonly number[];
  /** One client for each server. */
  readonly clients: readonly NativeClient[];
  /** Processor time of all that serve, since they started. */
  cpuSeconds(): number;
  /** The client of the server that owns the run, and those of the others. */
  findOwner(): Promise<{ owner: NativeClient; others: NativeClient[] }>;
  restart(): Promise<void>;
}

export const GROUPS_PER_BATCH = 8;
/** The run of who names none. */
const RUN = 'default';

export async function openPlace(
  context: ScenarioContext,
  options: Pick<ReplicasOptions, 'size' | 'settings'>,
): Promise<Place> {
  const database = await createTestDatabase({ serverUrl: await findPostgresUrl(context) });
  context.defer(() => database.drop());
  const replicas = await startReplicas({
    ...{ home: await context.scratch(), databaseUrl: database.url, size: options.size ?? 3 },
    ...{ owned: options.size !== 1, settings: { LACHESIS_MAX_STALENESS: '100000', ...options.settings } },
  });
  context.defer(() => replicas.end());
  const clients = replicas.ports.map((port) => new NativeClient(`http://127.0.0.1:${port}`));
  context.defer(() => clients.forEach((client) => client.close()));
  await clients[0]?.register(GROUPS_PER_BATCH * SEQUENCES);
  return {
    databaseUrl: database.url,
    ownRoots: [process.pid, ...(database.postmasterPid === undefined ? [] : [database.postmasterPid])],
    clients,
    cpuSeconds: () => replicas.childPids().reduce((sum, pid) => sum + readProcessTree(pid).cpuSeconds, 0),
    async findOwner() {
      const [holder = ''] = await readColumn(
        database.url,
        `select holder from leases where kind = 'run-queue' and resource = '${RUN}'`,
      );
      const index = replicas.addresses.findIndex((address) => holder.startsWith(`${address} `));
      const owner = clients[index];
      if (owner === undefined) throw new Error(`none of the servers owns the run, but "${holder}"`);
      return { owner, others: clients.filter((client) => client !== owner) };
    },
    restart: () => replicas.restartAll(),
  };
}

/** The first column of what a statement gives. */
export async function readColumn(databaseUrl: string, sql: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
    return rows.map(([value]) => String(value));
  } finally {
    await client.end();
  }
}
