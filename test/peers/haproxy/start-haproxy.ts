import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { findProgram } from '../../kit/find-program.ts';
import { findQuietPort } from '../../kit/find-quiet-port.ts';
import { listChildPids } from '../../kit/read-process-tree.ts';
import { startProcess } from '../../kit/start-process.ts';
import { waitForHttp } from '../../kit/wait-for-http.ts';

/** Why a line that needs the balancer is not run, or undefined. */
export const whyNoHaproxy = (): string | undefined =>
  findProgram('haproxy') === undefined ? 'no HAProxy here: .ci/setup --peers installs it' : undefined;

/** A balancer before several servers. */
export interface Haproxy extends AsyncDisposable {
  readonly port: number;
  /** A new worker takes the socket over, and the old one ends when its connections have. */
  reload(): Promise<void>;
}

const RELOAD_MS = 10_000;

/** Starts one that hands every request to the next of the servers; its files are in `folder`. */
export async function startHaproxy(options: { folder: string; servers: readonly number[] }): Promise<Haproxy> {
  const { folder, servers } = options;
  const port = await findQuietPort();
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, writeConfig({ port, servers, socket: join(folder, 'haproxy.sock') }));
  const running = await startProcess({
    ...{ command: findProgram('haproxy') ?? 'haproxy', name: 'haproxy' },
    args: ['-W', '-db', '-f', file],
  });
  await waitForHttp({ url: `http://127.0.0.1:${port}/health`, process: running });
  return {
    port,
    async reload() {
      const before = new Set(listChildPids(running.pid));
      running.signal('SIGUSR2');
      const until = performance.now() + RELOAD_MS;
      while (!listChildPids(running.pid).some((pid) => !before.has(pid))) {
        if (performance.now() > until) throw new Error(`HAProxy made no new worker:\n${running.logs()}`);
        await sleep(10);
      }
    },
    async [Symbol.asyncDispose]() {
      await running.stop();
    },
  };
}

/** As an operator would write it: one request, the next server; a connection that is refused goes to another one. */
function writeConfig(options: { port: number; servers: readonly number[]; socket: string }): string {
  const servers = options.servers.map(
    (port, index) => `  server api${index} 127.0.0.1:${port} check inter 200ms fall 2 rise 1`,
  );
  return [
    'global',
    `  stats socket ${options.socket} mode 600 level admin expose-fd listeners`,
    '  hard-stop-after 60s',
    'defaults',
    '  mode http',
    '  timeout connect 2s',
    '  timeout client 60s',
    '  timeout server 60s',
    '  option redispatch 1',
    'frontend front',
    `  bind 127.0.0.1:${options.port}`,
    '  default_backend apis',
    'backend apis',
    '  balance roundrobin',
    '  option httpchk GET /health',
    // It answers to its own name only.
    '  http-check send hdr Host localhost',
    ...servers,
    '',
  ].join('\n');
}
