import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { chown, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import pg from 'pg';

import { findFreePort } from '../../kit/find-free-port.ts';
import { asUser, findPostgres, findPostgresUser } from './find-postgres.ts';
import type { PostgresPrograms, SystemUser } from './find-postgres.ts';
import { removeFolder } from '../../kit/remove-folder.ts';

/** Crash recovery after a hard stop replays the log before the first connection is let in. */
const READY_TIMEOUT_MS = 30_000;

export interface StartPostgresOptions {
  /** Server settings on top of ours, e.g. `{ synchronous_commit: 'off' }` for a mutant. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Keeps running when this process ends, and is ended by pid later; false by default. */
  readonly detached?: boolean;
  /** The server that this one follows as its standby, by its address; a new one of its own by default. */
  readonly standbyOf?: string;
}

/** How it ends: `immediate` is a crash (no checkpoint, clients cut off), `fast` rolls back and closes. */
export type PostgresStop = 'immediate' | 'fast';

const STOP_SIGNALS = { immediate: 'SIGQUIT', fast: 'SIGINT' } as const;

/** A private PostgreSQL: own data folder, loopback only, everything it acknowledged fsynced. */
export interface Postgres extends AsyncDisposable {
  /** The database `postgres`, as superuser. Stays the same over stops and starts. */
  readonly url: string;
  readonly directory: string;
  /** The postmaster; undefined while stopped. */
  pid(): number | undefined;
  stop(how: PostgresStop): Promise<void>;
  /** Starts it again on the same port and data, and resolves when it lets clients in. */
  start(): Promise<void>;
  /** `stop` then `start`. */
  restart(how: PostgresStop): Promise<void>;
}

export async function startPostgres(options: StartPostgresOptions = {}): Promise<Postgres> {
  const programs = findPostgres();
  const user = findPostgresUser();
  const directory = await mkdtemp(join(tmpdir(), 'lachesis-postgres-'));
  try {
    const place = { programs, user, directory };
    const { standbyOf } = options;
    const password = standbyOf === undefined ? await createCluster(place) : await copyCluster(place, standbyOf);
    return await runCluster({ programs, user, directory, password, port: await findFreePort(), ...options });
  } catch (error) {
    await removeFolder(directory);
    throw error;
  }
}

interface Cluster extends StartPostgresOptions {
  readonly programs: PostgresPrograms;
  readonly user: SystemUser | undefined;
  readonly directory: string;
  readonly password: string;
  readonly port: number;
}

async function createCluster(options: Pick<Cluster, 'programs' | 'user' | 'directory'>): Promise<string> {
  const { programs, user, directory } = options;
  const password = randomBytes(18).toString('base64url');
  const passwordFile = join(directory, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user !== undefined) {
    await chown(directory, user.uid, user.gid);
    await chown(passwordFile, user.uid, user.gid);
  }
  const [command, ...args] = asUser(user, [
    programs.initdb,
    ...['-D', join(directory, 'data'), '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
    ...['-E', 'UTF8', '--locale=C.UTF-8'],
  ]);
  await promisify(execFile)(command, args, { cwd: directory });
  return password;
}

/** Its data as it is now, with a note to follow it from there on; users and passwords are its own. */
async function copyCluster(
  { programs, user, directory }: Pick<Cluster, 'programs' | 'user' | 'directory'>,
  standbyOf: string,
): Promise<string> {
  if (user !== undefined) await chown(directory, user.uid, user.gid);
  const [command, ...args] = asUser(user, [
    programs.basebackup,
    ...['-D', join(directory, 'data'), '-d', standbyOf, '-R', '-X', 'stream', '-c', 'fast'],
  ]);
  await promisify(execFile)(command, args, { cwd: directory });
  return decodeURIComponent(new URL(standbyOf).password);
}

async function runCluster(cluster: Cluster): Promise<Postgres> {
  const { directory, password, port } = cluster;
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    if (child !== undefined) return;
    child = spawnPostmaster(cluster);
    await waitUntilReady({ url, child, logFile: join(directory, 'log') });
  };
  const stop = async (how: PostgresStop): Promise<void> => {
    const ending = child;
    child = undefined;
    if (ending !== undefined) await endChild(ending, STOP_SIGNALS[how]);
  };
  try {
    await start();
  } catch (error) {
    await stop('immediate');
    throw error;
  }
  return {
    url,
    directory,
    pid: () => child?.pid,
    start,
    stop,
    async restart(how) {
      await stop(how);
      await start();
    },
    async [Symbol.asyncDispose]() {
      await stop('immediate');
      await removeFolder(directory);
    },
  };
}

function spawnPostmaster(cluster: Cluster): ChildProcess {
  const { programs, user, directory, port, detached = false } = cluster;
  const settings: Record<string, string> = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    max_connections: '200',
    ...cluster.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // A test that is killed takes its Postgres along; only the long-lived one outlives who started it.
  const deathSignal = detached ? [] : ['--pdeathsig', 'QUIT'];
  const [command, ...args] = asUser(user, [programs.postgres, '-D', join(directory, 'data'), ...flags], deathSignal);
  const log = openSync(join(directory, 'log'), 'a');
  const child = spawn(command, args, { cwd: directory, detached, stdio: ['ignore', log, log] });
  closeSync(log);
  if (detached) child.unref();
  return child;
}

async function waitUntilReady(options: { url: string; child: ChildProcess; logFile: string }): Promise<void> {
  const { url, child, logFile } = options;
  const startedAt = performance.now();
  let lastFailure = 'it was never asked';
  while (performance.now() - startedAt < READY_TIMEOUT_MS) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    try {
      await pingPostgres(url);
      return;
    } catch (error) {
      lastFailure = error instanceof Error ? error.message : String(error);
    }
    await sleep(25);
  }
  throw new Error(`PostgreSQL lets nobody in (${lastFailure}):\n${await readFile(logFile, 'utf8')}`);
}

/** Resolves when the server answers a query, rejects within two seconds when it does not. */
export async function pingPostgres(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 2_000 });
  // A server that goes away right after its answer must not end the test process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    await client.end();
  }
}

async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  await exited;
}
