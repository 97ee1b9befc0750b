import { BlockList, isIP } from 'node:net';

type Range = readonly [prefix: string, bits: number, name: string];

/** What is not the public internet, by IANA's registries of special addresses. */
const RANGES_4: readonly Range[] = [
  ['0.0.0.0', 8, 'this machine'],
  ['10.0.0.0', 8, 'a private network'],
  ['100.64.0.0', 10, 'a network behind a provider’s translation'],
  ['127.0.0.0', 8, 'this machine'],
  ['169.254.0.0', 16, 'link-local, where clouds serve credentials'],
  ['172.16.0.0', 12, 'a private network'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'reserved for documentation'],
  ['192.88.99.0', 24, 'reserved'],
  ['192.168.0.0', 16, 'a private network'],
  ['198.18.0.0', 15, 'reserved for measurements'],
  ['198.51.100.0', 24, 'reserved for documentation'],
  ['203.0.113.0', 24, 'reserved for documentation'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved'],
];

const RANGES_6: readonly Range[] = [
  ['2001::', 23, 'reserved for tunnels and tests'],
  ['2001:db8::', 32, 'reserved for documentation'],
  ['2002::', 16, 'a tunnel to an address of version 4'],
  ['3fff::', 20, 'reserved for documentation'],
  ['fc00::', 7, 'a private network'],
  ['fe80::', 10, 'link-local'],
  ['ff00::', 8, 'multicast'],
];

const lists = [...RANGES_4, ...RANGES_6].map(([prefix, bits, name]) => {
  const list = new BlockList();
  const family = familyOf(prefix);
  list.addSubnet(prefix, bits, family);
  return { list, family, name };
});

/** Addresses of version 6 that hold one of version 4: mapped, compatible, and translated. */
const EMBEDDING = [
  ['::ffff:0:0', 96],
  ['::', 96],
  ['64:ff9b::', 96],
] as const;
const embedding = new BlockList();
for (const [prefix, bits] of EMBEDDING) embedding.addSubnet(prefix, bits, 'ipv6');

const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

/** What network an address is in when that is not the public internet; undefined for a public one. */
export function nameSpecialRange(address: string): string | undefined {
  if (address.includes('%')) return 'link-local, with the name of an interface';
  const family = familyOf(address);
  if (family === 'ipv6' && embedding.check(address, 'ipv6')) {
    return nameSpecialRange(embeddedAddress(address)) ?? 'an address of version 4 in one of version 6';
  }
  const found = lists.find(({ list, family: own }) => own === family && list.check(address, family));
  if (found !== undefined) return found.name;
  return family === 'ipv6' && !global6.check(address, 'ipv6') ? 'not a public address' : undefined;
}

export function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** The last 32 bits. */
function embeddedAddress(address: string): string {
  // The parser of addresses writes every spelling as hexadecimal pairs.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const whole =
    tail === undefined
      ? left
      : [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
  const bytes = whole
    .slice(-2)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
  return bytes.join('.');
}
