import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { findProgram } from '../../kit/find-program.ts';
import { findQuietPort } from '../../kit/find-quiet-port.ts';
import { startProcess, type RunningProcess } from '../../kit/start-process.ts';
import { asUser, findPostgresUser } from '../postgres/find-postgres.ts';
import { pingPostgres } from '../postgres/start-postgres.ts';

/** Why a line that needs the pooler is not run, or undefined. */
export const whyNoPgbouncer = (): string | undefined =>
  findProgram('pgbouncer') === undefined ? 'no PgBouncer here: .ci/setup --peers installs it' : undefined;

/** A pooler before one PostgreSQL after the other. */
export interface Pgbouncer extends AsyncDisposable {
  /** The database of the PostgreSQL it was started with, through the pooler. */
  readonly url: string;
  /** Points it at another server, as whoever promoted that one would. */
  follow(databaseUrl: string): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
}

const ANSWER_MS = 30_000;

/** Starts one before the server of `databaseUrl`; its files are in `folder`. Server connections are few, so that they are shared. */
export async function startPgbouncer(options: { folder: string; databaseUrl: string }): Promise<Pgbouncer> {
  const { folder } = options;
  const port = await findQuietPort();
  const user = findPostgresUser();
  const file = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users.txt');
  const address = new URL(options.databaseUrl);
  const write = async (databaseUrl: string): Promise<void> => {
    await writeFile(file, writeConfig({ port, users, target: new URL(databaseUrl) }));
    await writeFile(users, `"${address.username}" "${decodeURIComponent(address.password)}"\n`, { mode: 0o600 });
    if (user === undefined) return;
    for (const path of [folder, file, users]) await chown(path, user.uid, user.gid);
  };
  const url = new URL(address);
  url.port = String(port);
  let running: RunningProcess | undefined;
  const start = async (): Promise<void> => {
    const [command, ...args] = asUser(user, [findProgram('pgbouncer') ?? 'pgbouncer', file]);
    running = await startProcess({ command, args, name: 'pgbouncer' });
    await waitForAnswer(url.href, running);
  };
  await write(options.databaseUrl);
  await start();
  return {
    url: url.href,
    start,
    async follow(databaseUrl) {
      await write(databaseUrl);
      running?.signal('SIGHUP');
      if (running !== undefined) await waitForAnswer(url.href, running);
    },
    async kill() {
      await running?.stop({ signal: 'SIGKILL' });
    },
    async [Symbol.asyncDispose]() {
      await running?.stop({ signal: 'SIGQUIT' });
    },
  };
}

async function waitForAnswer(url: string, running: RunningProcess): Promise<void> {
  const until = performance.now() + ANSWER_MS;
  for (;;) {
    try {
      return await pingPostgres(url);
    } catch (error) {
      if (performance.now() > until || !running.isRunning()) {
        throw new Error(`nobody answers through PgBouncer:\n${running.logs()}`, { cause: error });
      }
    }
    await sleep(25);
  }
}

function writeConfig(options: { port: number; users: string; target: URL }): string {
  const { port, users, target } = options;
  return [
    '[databases]',
    `* = host=${target.hostname} port=${target.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${users}`,
    'pool_mode = transaction',
    'max_client_conn = 500',
    'default_pool_size = 12',
    // A server that is gone is asked again soon: the default of 15 s would be the failover.
    'server_login_retry = 0.1',
    'server_connect_timeout = 2',
    'query_wait_timeout = 10',
    '',
  ].join('\n');
}
