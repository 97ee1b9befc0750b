import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  const family = isIP(host);
  return family !== 0 && loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/** Why a server must not listen on `host`, or null. */
export function findExposure(host: string, tokenCount: number): string | null {
  if (isLoopback(host) || tokenCount > 0) return null;
  return (
    `refusing to listen on ${host}: others could reach it and no token exists yet. ` +
    'Make one with `lachesis token create`, or listen on 127.0.0.1.'
  );
}
