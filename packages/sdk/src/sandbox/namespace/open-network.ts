import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Server } from 'node:net';

import { createEgressRule } from '../../egress/create-egress-rule.ts';
import { createEgressProxy, type EgressProxy } from '../../egress/proxy/create-egress-proxy.ts';
import { SandboxError } from '../sandbox-error.ts';
import type { SandboxNetwork } from '../sandbox.ts';
import { HOST_PATH } from './host-programs.ts';

/** The sandbox has its loopback for itself, so the port is nobody's. Where proxies are by custom. */
const PROXY_PORT = 3128;
const START_TIMEOUT_MS = 10_000;
/** Without them nobody inside can tell whom a tunnel ends at. Public by their nature. */
const CERTIFICATE_FOLDERS = ['/etc/ssl/certs', '/etc/pki/tls/certs', '/etc/pki/ca-trust/extracted'];

/** Listens in the network that it was started in, hands the socket to its parent and ends. */
const LISTENER = `const server = require('node:net').createServer();
server.listen(${PROXY_PORT}, '127.0.0.1', () => process.send('listening', server));
process.once('disconnect', () => process.exit());`;

export interface OpenNetworkOptions {
  /** The first process of the world. */
  readonly worldPid: number;
  readonly isRoot: boolean;
  readonly network: SandboxNetwork;
  readonly spawn?: typeof spawn;
}

export interface OpenedNetwork {
  readonly proxy: EgressProxy;
  /** What tells programs inside where the proxy is. */
  readonly env: Readonly<Record<string, string>>;
}

export const listCertificateFolders = (): string[] => CERTIFICATE_FOLDERS.filter((folder) => existsSync(folder));

/**
 * Puts our proxy on the loopback of a world that has no other network. The socket is made by a process that enters the world's
 * network and nothing else of it; what comes in is answered by this process, on this side of the wall.
 */
export async function openNetwork({
  worldPid,
  isRoot,
  network,
  spawn: given,
}: OpenNetworkOptions): Promise<OpenedNetwork> {
  const {
    rule = createEgressRule({ allow: process.env['LACHESIS_EGRESS_ALLOW'] }),
    allow,
    quotas,
    onRequest,
  } = network;
  const proxy = createEgressProxy({ rule, allow, quotas, onRequest });
  proxy.serve(await listenInside({ worldPid, isRoot, start: given ?? spawn }));
  const url = `http://127.0.0.1:${PROXY_PORT}`;
  const local = 'localhost,127.0.0.1,::1';
  const named = { http_proxy: url, https_proxy: url, no_proxy: local };
  const upper = { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: local };
  return { proxy, env: { ...named, ...upper, NODE_USE_ENV_PROXY: '1' } };
}

function listenInside(options: { worldPid: number; isRoot: boolean; start: typeof spawn }): Promise<Server> {
  const { worldPid, isRoot, start } = options;
  const child: ChildProcess = start(
    'nsenter',
    [
      ...['--target', String(worldPid), '--net', ...(isRoot ? [] : ['--user', '--preserve-credentials'])],
      ...[process.execPath, '-e', LISTENER],
    ],
    { env: { PATH: HOST_PATH }, cwd: '/', stdio: ['ignore', 'ignore', 'pipe', 'ipc'] },
  );
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(-500)));
  return new Promise((resolve, reject) => {
    const fail = (what: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(
        new SandboxError({
          kind: 'failed',
          reason: `The network of the sandbox could not be opened: ${what}${complaint === '' ? '' : ` (${complaint.trim()})`}.`,
          hint: 'Create it without network, or see whether nsenter may enter a network namespace here.',
        }),
      );
    };
    const timer = setTimeout(() => fail('nothing listened in time'), START_TIMEOUT_MS);
    child.once('error', (error) => fail(error.message));
    let received: Server | undefined;
    child.once('exit', (code, signal) => {
      if (received === undefined) return fail(`exit ${code ?? signal ?? 'unknown'}`);
      clearTimeout(timer);
      // Until then two processes would take what comes, and the other answers nobody.
      return resolve(received);
    });
    child.once('message', (_text, server) => {
      received = server as Server;
      child.disconnect();
    });
  });
}
