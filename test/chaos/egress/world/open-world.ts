import { createEgressProxy, createEgressRule } from '@lachesis/sdk/egress';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { ScenarioContext } from '../../../scenarios/scenario.ts';
import { startDnsServer, type Zone } from './start-dns-server.ts';
import { createFaultyRule, startNaiveProxy, type Fault } from './faults.ts';

/** The one address that the allowed host has. Nothing is sent there: every connection of the proxy ends at a server of ours. */
export const PUBLIC = '93.184.216.34';
const ELSEWHERE = '198.41.0.4';
const DIAL_MS = 2_000;

const ZONE: Zone = {
  'allowed.example.com': () => [PUBLIC],
  'a.wild.example.com': () => [PUBLIC],
  'wild.example.com': () => [ELSEWHERE],
  'evil.example.org': () => [ELSEWHERE],
  'allowed.example.com.evil.example.org': () => [ELSEWHERE],
  'notallowed.example.com': () => [ELSEWHERE],
  'rebind.example.com': (time) => [time === 1 ? PUBLIC : '127.0.0.1'],
  'rebind-metadata.example.com': (time) => [time === 1 ? PUBLIC : '169.254.169.254'],
  'both.example.com': () => [PUBLIC, '127.0.0.1'],
  'private.example.com': () => ['10.0.0.1'],
  'metadata.example.com': () => ['169.254.169.254'],
  'zero.example.com': () => ['0.0.0.0'],
  'loopback6.example.com': () => ['::1'],
  'mapped.example.com': () => ['::ffff:7f00:1'],
  'translated.example.com': () => ['64:ff9b::a9fe:a9fe'],
  'unique-local.example.com': () => ['fd00::1'],
  'mixed-families.example.com': () => [PUBLIC, '::1'],
  'tunnel.example.com': () => ['2002:7f00:1::'],
};

/** Which list the proxy has: every host, or two by their names. */
export type List = 'any' | 'named';

/** A proxy between a client that plays tricks and servers that write down who came. */
export interface World {
  /** Where a proxy listens, with its name and password. */
  readonly proxies: Readonly<Record<List, URL>>;
  /** Addresses that the proxy connected to since the last trick. */
  readonly dialled: string[];
  /** What the server behind every address got, as it came. */
  readonly received: string[];
  /** Requests in the proxies' logs. */
  countLogged(): number;
  /** Whether every request that came is over. */
  isQuiet(): boolean;
}

export async function openWorld(context: ScenarioContext, fault?: Fault): Promise<World> {
  const dns = await startDnsServer(ZONE);
  context.defer(async () => dns[Symbol.asyncDispose]());
  const received: string[] = [];
  const upstream = await listen(context, (socket) => answer(socket, received));
  const { port } = upstream.address() as AddressInfo;
  const dialled: string[] = [];
  const dial = ({ host }: { host: string }): Socket => {
    dialled.push(host);
    return connect({ host: '127.0.0.1', port, timeout: DIAL_MS });
  };
  const { lookup } = dns;
  const rule = createFaultyRule({ rule: createEgressRule({ lookup }), lookup, fault });
  const lists: Record<List, string[]> = { any: ['*'], named: ['allowed.example.com', '*.wild.example.com'] };
  const opened = Object.entries(lists).map(([list, allow]) => ({
    list,
    proxy: createEgressProxy({ rule, allow, dial }),
  }));
  for (const { proxy } of opened) context.defer(() => proxy.close());
  const naive = await startNaiveProxy({ rule, dial, fault });
  if (naive !== undefined) context.defer(() => void naive.server.close());
  const entries = await Promise.all(
    opened.map(async ({ list, proxy }) => [list, naive?.url ?? new URL(await proxy.listen())] as const),
  );
  return {
    proxies: Object.fromEntries(entries) as Record<List, URL>,
    dialled,
    received,
    countLogged: () => opened.reduce((sum, { proxy }) => sum + proxy.log.length, 0),
    isQuiet: () => opened.every(({ proxy }) => proxy.log.length === proxy.usage.requests),
  };
}

/** One answer when a head has come: a redirect to what the path names, or a greeting. */
function answer(socket: Socket, received: string[]): void {
  const at = received.push('') - 1;
  let isAnswered = false;
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes) => {
    received[at] += bytes.toString('latin1');
    const [head = '', rest] = (received[at] ?? '').split('\r\n\r\n');
    if (rest === undefined || isAnswered) return;
    isAnswered = true;
    const to = /^[A-Z]+ \/redirect\?(\S+) /.exec(head)?.[1];
    const lines =
      to === undefined ? ['HTTP/1.1 200 OK'] : ['HTTP/1.1 302 Found', `Location: ${decodeURIComponent(to)}`];
    socket.end([...lines, 'Content-Length: 5', 'Connection: close', '', 'hello'].join('\r\n'));
  });
}

async function listen(context: ScenarioContext, onSocket: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onSocket);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.defer(() => void server.close());
  return server;
}
