import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

import pg from 'pg';

import { findParentPid } from './read-process-tree.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  readonly name: string;
  /** The postmaster when it runs on this machine, so that its CPU is not taken for a stranger's. */
  readonly postmasterPid: number | undefined;
  drop(): Promise<void>;
}

/** A new database on the given PostgreSQL, dropped at the end together with whatever is still connected to it. */
export async function createTestDatabase(options: {
  serverUrl: string;
  prefix?: string;
  /** It holds what this one holds, to which nobody may be connected; empty when left out. */
  template?: string;
}): Promise<TestDatabase> {
  const name = `${options.prefix ?? 'lachesis'}_${process.pid}_${randomBytes(4).toString('hex')}`;
  const postmasterPid = await withClient(options.serverUrl, async (client) => {
    const like = options.template === undefined ? '' : ` template ${pg.escapeIdentifier(options.template)}`;
    await client.query(`create database ${pg.escapeIdentifier(name)}${like}`);
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return findLocalPostmaster(rows[0]?.pid);
  });
  const url = new URL(options.serverUrl);
  url.pathname = `/${name}`;
  let dropping: Promise<void> | undefined;
  const drop = (): Promise<void> =>
    (dropping ??= withClient(options.serverUrl, async (client) => {
      await client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
    }));
  return {
    url: url.href,
    name,
    postmasterPid,
    drop,
    [Symbol.asyncDispose]: drop,
  };
}

/** The parent of our own backend; undefined when the server is elsewhere and the number means some other process here. */
function findLocalPostmaster(backendPid: number | undefined): number | undefined {
  if (backendPid === undefined || !existsSync(`/proc/${backendPid}/comm`)) return undefined;
  const command = readFileSync(`/proc/${backendPid}/comm`, 'utf8').trim();
  return command === 'postgres' ? findParentPid(backendPid) : undefined;
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
