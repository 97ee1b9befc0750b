import { expect, test } from 'vitest';
import { createEgressRule, isAddressLike } from './create-egress-rule.ts';
import { readAllowList } from './read-allow-list.ts';

const REFUSED = [
  ...[
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://0/',
  ],
  ...[
    'http://localhost/',
    'http://localhost./',
    'http://LOCALHOST:8080/',
    'http://a.localhost/',
    'http://printer.local/',
  ],
  ...[
    'http://169.254.169.254/latest/meta-data',
    'http://0xa9fea9fe/',
    'http://169.254.169.254./',
    'http://2852039166/',
  ],
  ...[
    'http://100.100.100.200/',
    'http://10.0.0.1/',
    'http://172.31.255.255/',
    'http://192.168.0.1/',
    'http://198.18.0.1/',
  ],
  ...[
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[::127.0.0.1]/',
  ],
  ...['http://[64:ff9b::7f00:1]/', 'http://[64:ff9b::a9fe:a9fe]/', 'http://[fd00:ec2::254]/', 'http://[fe80::1]/'],
  ...[
    'http://[2002:7f00:1::]/',
    'http://[2001:0:7f00:1::]/',
    'http://[ff02::1]/',
    'http://[4000::1]/',
    'http://[fe80::1%25eth0]/',
  ],
  ...[
    'http://metadata.google.internal/',
    'http://metadata/',
    'http://intranet/',
    'http://255.255.255.255/',
    'http://224.0.0.1/',
  ],
  ...[
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://example.com/',
    'data:text/plain,x',
    'javascript:1',
    '//example.com/',
  ],
  ...[
    'http://me:pw@example.com/',
    'http://@example.com/',
    'http://example.com@127.0.0.1/',
    'http://example.com\\@127.0.0.1/',
  ],
  ...[
    'http://exa mple.com/',
    'http://example.com/\u0000',
    'http://127.0.0.1\u0000.example.com/',
    'http:example.com',
    'http:///x',
  ],
  ...[
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'http://%31%32%37.0.0.1/',
    '',
    'x',
    `http://example.com/${'a'.repeat(5_000)}`,
  ],
];

test.each(REFUSED)('%j is refused before anything is asked', async (address) => {
  const rule = createEgressRule({ lookup: () => Promise.reject(new Error('it was resolved')) });
  expect(() => rule.read(address)).toThrow('may not be asked');
  await expect(rule.resolve(address)).rejects.toThrow('may not be asked');
});

test.each([
  'https://example.com/a?b',
  'http://8.8.8.8/',
  'http://[2606:4700::1111]/',
  'https://xn--mnchen-3ya.de:8443/',
])('%s is allowed', (address) => {
  expect(createEgressRule().read(address).href).toBe(new URL(address).href);
});

test('a name is refused when one of its addresses is not public, and otherwise pinned to what was found', async () => {
  const names: Record<string, string[]> = {
    'rebind.example.com': ['8.8.8.8', '127.0.0.1'],
    'mapped.example.com': ['::ffff:10.0.0.1'],
    'public.example.com': ['2606:4700::1111', '8.8.8.8'],
    'none.example.com': [],
  };
  const lookup = async (host: string) => (names[host] ?? []).map((address) => ({ address }));
  const rule = createEgressRule({ lookup });
  for (const host of ['rebind', 'mapped', 'none']) {
    await expect(rule.resolve(`https://${host}.example.com/`)).rejects.toThrow('leads to');
  }
  expect(await rule.resolve('https://public.example.com/')).toMatchObject({ address: '2606:4700::1111', family: 6 });
});

test('what a person allows is allowed: a host, a host at a port, a network', async () => {
  const lookup = async () => [{ address: '10.1.2.3' }];
  const rule = createEgressRule({ allow: 'rewards.lan:8003, 10.1.0.0/16 [fd00::5]:80,judge', lookup });
  expect(rule.read('http://rewards.lan:8003/').port).toBe('8003');
  expect(() => rule.read('http://rewards.lan:8004/')).toThrow('local network');
  expect(await rule.resolve('http://judge/')).toMatchObject({ address: '10.1.2.3' });
  expect(await rule.resolve('http://anything.example.com/')).toMatchObject({ address: '10.1.2.3' });
  expect(() => rule.read('http://10.2.0.1/')).toThrow('private');
  expect(rule.read('http://[fd00::5]/').hostname).toBe('[fd00::5]');
  for (const wrong of ['http://a', '10.0.0.0/99', '*.example.com', 'a@b'])
    expect(() => readAllowList(wrong)).toThrow(wrong);
});

test('no sentence shows a password or a query', () => {
  const said = String(catchError(() => createEgressRule().read('http://me:hunter2@example.com/?key=abc')));
  expect(said).not.toMatch(/hunter2|abc/);
});

test('an address is told from a file', () => {
  expect(['http://a', 'FILE:///x', '//host/x', 'hf://a', '\\\\host\\x', ' http://a'].map(isAddressLike)).not.toContain(
    false,
  );
  expect(['data/a.jsonl', './a', '/etc/passwd', 'a b'].map(isAddressLike)).not.toContain(true);
});

function catchError(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
