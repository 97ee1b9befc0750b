import { BlockList, isIP } from 'node:net';
import { familyOf } from './address-ranges.ts';

/** What a person allows beyond the public internet. */
export interface EgressAllowList {
  hasHost(host: string, port: number): boolean;
  hasAddress(address: string): boolean;
}

/** Reads `rewards.lan:8003, 10.1.0.0/16, [fd00::5]:8003, host`. Throws with the entry that is none. */
export function readAllowList(text: string | undefined): EgressAllowList {
  const networks = new BlockList();
  const hosts = new Set<string>();
  for (const entry of (text ?? '').split(/[\s,]+/).filter((each) => each !== '')) {
    const network = /^([0-9a-f:.]+)\/(\d{1,3})$/i.exec(entry);
    if (network !== null) addNetwork(networks, entry, network[1] ?? '', Number(network[2]));
    else hosts.add(readHost(entry));
  }
  return {
    hasHost: (host, port) => hosts.has(host) || hosts.has(`${host}:${port}`),
    hasAddress: (address) => isIP(address) !== 0 && networks.check(address, familyOf(address)),
  };
}

function addNetwork(networks: BlockList, entry: string, prefix: string, bits: number): void {
  const most = familyOf(prefix) === 'ipv6' ? 128 : 32;
  if (isIP(prefix) === 0 || bits > most) throw refuse(entry);
  networks.addSubnet(prefix, bits, familyOf(prefix));
}

function readHost(entry: string): string {
  const found = parseHost(entry);
  if (found === undefined) throw refuse(entry);
  return found.port === undefined ? found.host : `${found.host}:${found.port}`;
}

/** Reads `host`, `host:port`, `[fd00::5]:80` or `fd00::5`; undefined for what is none of them. */
export function parseHost(entry: string): { host: string; port: number | undefined } | undefined {
  const bare = isIP(entry) === 6 ? `[${entry}]` : entry;
  const address = `http://${bare}`;
  if (/[/?#@\\*]/.test(bare) || !URL.canParse(address)) return undefined;
  // The parser leaves out 80, which is what a person who wrote it meant.
  const port = /:(\d+)$/.exec(bare.replace(/^\[[^\]]*\]/, ''))?.[1];
  return { host: plainHost(new URL(address).hostname), port: port === undefined ? undefined : Number(port) };
}

/** Without the brackets of version 6 and the dot of the root. */
export const plainHost = (hostname: string): string =>
  hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '')
    .toLowerCase();

const refuse = (entry: string): Error =>
  new Error(
    `LACHESIS_EGRESS_ALLOW has ${JSON.stringify(entry.slice(0, 100))}, which is neither a host, host:port nor a network such as 10.1.0.0/16.`,
  );
