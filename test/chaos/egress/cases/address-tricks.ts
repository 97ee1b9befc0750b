import type { Trick } from './trick.ts';

/** Places that are nobody's business, in spellings that some parser takes for them. */
const HOSTS: readonly string[] = [
  ...['127.0.0.1', '127.1', '127.0.1', '127.127.127.127', '2130706433', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1'],
  ...['017700000001', '127.0.0.1.', '0', '0.0.0.0', '0x0', '1.0x7f000001', '00000177.1', '127.0.0.0x1'],
  ...['localhost', 'localhost.', 'LOCALHOST', 'a.localhost', 'localhost.localdomain', 'printer.local', 'intranet'],
  ...['169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '169.254.43518', '169.254.169.254.'],
  ...['metadata.google.internal', '100.100.100.200', '192.0.0.192', '10.0.0.1', '10.1', '172.16.0.1', '172.31.255.255'],
  ...['192.168.0.1', '192.168.257', '3232235521', '100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
  ...[
    '[::ffff:169.254.169.254]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b::a9fe:a9fe]',
    '[fd00:ec2::254]',
  ],
  ...['[fc00::1]', '[fe80::1]', '[fe80::1%25lo]', '[fe80::1%lo]', '[::1%25lo]', '[2002:7f00:1::]', '[2001:0:7f00:1::]'],
  ...['[ff02::1]', '[4000::1]', '[2001:db8::1]'],
];

/** Spellings that a parser of addresses might mend on its way. */
const MENDED: readonly string[] = [
  ...['%31%32%37.0.0.1', '127%2e0%2e0%2e1', '①②⑦.⓪.⓪.①', '127。0。0。1', '127.0.0.1%00.example.com'],
  ...['127.0.0.1\0.example.com', 'allowed.example.com\0@127.0.0.1', 'allowed.example.com@127.0.0.1'],
  ...[
    'allowed.example.com\\@127.0.0.1',
    '127.0.0.1\t',
    '127.0.0.1#allowed.example.com',
    '127.0.0.1?allowed.example.com',
  ],
];

/** Names whose addresses the DNS server of ours gives. */
const NAMES: readonly string[] = [
  ...['both', 'private', 'metadata', 'zero', 'loopback6', 'mapped', 'translated', 'unique-local', 'mixed-families'],
  ...['tunnel', 'nobody-has-this'],
].map((name) => `${name}.example.com`);

/** Asked for twice: what was public the first time leads inward the second. */
const REBOUND: readonly string[] = ['rebind.example.com', 'rebind-metadata.example.com'];

/** Hosts that look like one on the list of two. */
const LOOKALIKES: readonly string[] = [
  ...['evil.example.org', 'allowed.example.com.evil.example.org', 'notallowed.example.com', 'wild.example.com'],
  ...['allowed.example.com@evil.example.org', 'evil.example.org#allowed.example.com', '198.41.0.4'],
  ...['allowed.example.com:22', 'allowed.example.com:25', 'allowed.example.com:8080'],
];

const plain = (host: string): string[] => [
  `GET http://${host}/ HTTP/1.1`,
  `Host: ${host}`,
  'Connection: close',
  '',
  '',
];
const tunnel = (host: string): string[] => {
  const authority = /[^:]:\d+$/.test(host) ? host : `${host}:443`;
  return [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`, '', ''];
};

function inBoth(what: string, hosts: readonly string[], rest: Partial<Trick> = {}): Trick[] {
  return hosts.flatMap((host) => [
    { name: `${what} ${JSON.stringify(host)}`, lines: plain(host), ...rest },
    { name: `${what} ${JSON.stringify(host)} by a tunnel`, lines: tunnel(host), ...rest },
  ]);
}

const REDIRECTS: readonly string[] = [
  ...['http://127.0.0.1/', 'http://2130706433/', 'http://[::ffff:127.0.0.1]/', 'https://169.254.169.254/latest'],
  ...['http://rebind.example.com/', 'http://private.example.com/', 'http://localhost./', 'https://[::1]:8443/'],
];

export const ADDRESS_TRICKS: readonly Trick[] = [
  ...inBoth('asks', HOSTS),
  ...inBoth('asks', MENDED),
  ...inBoth('asks', NAMES),
  // The first question is the proxy's own look; a second one would be a connection to somewhere else.
  ...REBOUND.map((host) => ({ name: `asks ${host}`, lines: plain(host) })),
  ...REBOUND.map((host) => ({ name: `asks ${host} again`, lines: tunnel(host) })),
  ...inBoth('is not on the list:', LOOKALIKES, { list: 'named' }),
  ...REDIRECTS.map((to): Trick => ({
    name: `follows a redirect to ${to}`,
    lines: [
      `GET http://allowed.example.com/redirect?${encodeURIComponent(to)} HTTP/1.1`,
      ...['Host: allowed.example.com', 'Connection: close', '', ''],
    ],
    isFollowed: true,
  })),
];
