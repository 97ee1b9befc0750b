import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

/** A PostgreSQL of one test's own, which may be paused, killed and started again. */
export interface PostgresServer extends AsyncDisposable {
  readonly databaseUrl: string;
  start(): Promise<void>;
  /** Without a farewell and without a checkpoint: recovery runs at the next start. */
  stopImmediately(): Promise<void>;
  /** All processes of the server stand still; the kernel goes on taking connections and bytes for them. */
  pause(): void;
  resume(): void;
}

/** Where the server's programs are, or undefined when PostgreSQL is not installed. */
export function findPostgresPrograms(): string | undefined {
  const root = '/usr/lib/postgresql';
  const installed = existsSync(root) ? readdirSync(root).map((version) => join(root, version, 'bin')) : [];
  return [...installed, ...(process.env.PATH ?? '').split(':')].find((path) => existsSync(join(path, 'initdb')));
}

export async function createPostgresServer(programs: string): Promise<PostgresServer> {
  const directory = mkdtempSync(join(tmpdir(), 'lachesis-postgres-'));
  const identity = findIdentity();
  if (identity.uid !== undefined && identity.gid !== undefined) chownSync(directory, identity.uid, identity.gid);
  chmodSync(directory, 0o700);
  const data = join(directory, 'data');
  const port = await findFreePort();
  const databaseUrl = `postgres://lachesis@127.0.0.1:${port}/postgres`;
  const place = { ...identity, cwd: directory, env: { PATH: process.env.PATH, LC_ALL: 'C' } };
  execFileSync(join(programs, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'lachesis', '--no-sync'], {
    ...place,
    stdio: 'ignore',
  });
  let child: ChildProcess | undefined;

  const server: PostgresServer = {
    databaseUrl,
    async start() {
      // A group of its own, so that a signal reaches the backends too.
      child = spawn(join(programs, 'postgres'), ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', directory], {
        ...place,
        detached: true,
        stdio: 'ignore',
      });
      await waitUntilReady(databaseUrl);
    },
    async stopImmediately() {
      const ended = once(child as ChildProcess, 'exit');
      child?.kill('SIGQUIT');
      await ended;
      child = undefined;
    },
    pause: () => signalSession(child, 'SIGSTOP'),
    resume: () => signalSession(child, 'SIGCONT'),
    async [Symbol.asyncDispose]() {
      if (child !== undefined) {
        server.resume();
        await server.stopImmediately();
      }
      await rm(directory, { recursive: true });
    },
  };
  await server.start();
  return server;
}

/** PostgreSQL refuses to run as root; then its own user runs it. */
function findIdentity(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const ask = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: ask('-u'), gid: ask('-g') };
}

/** Each backend leads a process group of its own, so the postmaster's children are looked up one by one. */
function signalSession(postmaster: ChildProcess | undefined, signal: 'SIGSTOP' | 'SIGCONT'): void {
  if (postmaster?.pid === undefined) return;
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(postmaster.pid)], { encoding: 'utf8' });
  const pids = [postmaster.pid, ...children.split(/\s+/).filter(Boolean).map(Number)];
  for (const pid of pids) sendSignal(pid, signal);
}

/** A backend may have ended since the list was read, which is as good as standing still. */
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function waitUntilReady(databaseUrl: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const client = new Client({ connectionString: databaseUrl });
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await sleep(50); // It is still starting.
    }
  }
  throw new Error('PostgreSQL did not start within ten seconds.');
}
