import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createRedactor } from './create-redactor.ts';
import { redact } from './redact.ts';
import { RedactionError } from './redaction-error.ts';

const redactor = createRedactor();
const clean = (text: string) => redactor.redactText(text).text;

/** Noise as keys are made of; a seed gives the same one again. */
function noise(length: number, alphabet: string, seed: number): string {
  let state = seed * 2_654_435_761 + 12_345;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return alphabet[Math.floor((state / 2 ** 32) * alphabet.length)];
  }).join('');
}

const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const HEX = '0123456789abcdef';

test.for([
  ['OpenAI', `sk-proj-${noise(48, BASE62, 1)}`],
  ['Anthropic', `sk-ant-api03-${noise(80, BASE62, 2)}`],
  ['GitHub', `ghp_${noise(36, BASE62, 3)}`],
  ['GitHub, fine-grained', `github_pat_${noise(60, BASE62, 4)}`],
  ['AWS', `AKIA${noise(16, UPPER, 5)}`],
  ['Google', `AIza${noise(35, BASE62, 6)}`],
  ['Hugging Face', `hf_${noise(34, BASE62, 7)}`],
  ['Slack', `xoxb-${noise(11, '0123456789', 8)}-${noise(24, BASE62, 9)}`],
  ['Stripe', `sk_live_${noise(24, BASE62, 10)}`],
  ['ours', `lch_${noise(12, HEX, 11)}_${noise(32, BASE62, 12)}`],
  ['a JWT', `eyJ${noise(20, BASE62, 13)}.eyJ${noise(40, BASE62, 14)}.${noise(43, BASE62, 15)}`],
  ['a private key', `-----BEGIN PRIVATE KEY-----\n${noise(64, BASE62, 16)}\n-----END PRIVATE KEY-----`],
  [
    'a private key in JSON',
    `-----BEGIN RSA PRIVATE KEY-----\\n${noise(64, BASE62, 17)}\\n-----END RSA PRIVATE KEY-----`,
  ],
  ['a private key cut off', `-----BEGIN PRIVATE KEY-----\n${noise(64, BASE62, 18)}\n${noise(20, BASE62, 19)}`],
  ['noise', noise(40, BASE62, 20)],
  ['noise in base64', `${noise(20, BASE62, 21)}/${noise(10, BASE62, 22)}+${noise(12, BASE62, 23)}=`],
  ['noise of small letters', noise(40, 'abcdefghijklmnopqrstuvwxyz0123456789', 24)],
] as const)('takes out a key by its own form: %s', ([, secret]) => {
  const text = clean(`I used ${secret} for it.`);
  expect(text).toMatch(/^I used \[redacted:[a-z-]+\] for it\.$/);
});

test.for([
  ['password = "correcthorse"', 'password = "[redacted:named]"'],
  ['DB_PASSWORD=hunter22xyz npm start', 'DB_PASSWORD=[redacted:named] npm start'],
  ['mysql --password hunter22xyz', 'mysql --password [redacted:password]'],
  ['https://x.example/a?api_key=abc12345&b=1', 'https://x.example/a?api_key=[redacted:named]&b=1'],
  ['postgres://me:s3cr3t-w0rd@db/x', 'postgres://me:[redacted:password]@db/x'],
  ['Authorization: Bearer abcdef123456789', 'Authorization: [redacted:authorization]'],
  ["-H 'Authorization: Basic dXNlcjpwYXNz'", "-H 'Authorization: Basic [redacted:authorization]'"],
  ['Set-Cookie: sid=abc; Path=/', 'Set-Cookie: [redacted:authorization]'],
  ['{"client_secret": "two words"}', '{"client_secret": "[redacted:named]"}'],
  ['{"a":"{\\"password\\":\\"x y\\\\\\"z\\"}","b":1}', '{"a":"{\\"password\\":\\"[redacted:named]\\"}","b":1}'],
  ['token: k3J9x0Qa7b', 'token: [redacted:named]'],
  ['password: "winter-is-17", and winter-is-17 again', 'password: "[redacted:named]", and [redacted:named] again'],
  ['see lachesis-canary-7f3a here', 'see [redacted:canary] here'],
] as const)('takes out a value by what stands beside it: %s', ([before, after]) => {
  expect(clean(before)).toBe(after);
});

test.for([
  'commit 9340fd51e48576a75adc919bff65dbc4a5d4c99b',
  'id 0192f3a1-7c1e-7b1a-9d3e-1f2a3b4c5d6e',
  'https://github.com/microsoft/TypeScript/blob/49ad1a3917a0ea57f5ff248159256e12bb1cb705/src/lib/es5.d.ts',
  'sha512-oVz2oVzLkqaIkQxFbq1cxn4Zk1DWLXJTmGgJ2Zb5jJt3h0yCqO6M5wM1q3CkTn2aXy7bTtXo9Zb1Yw8Ao2c3Ug==',
  'const apiKey = process.env.OPENAI_API_KEY;',
  'api_key: str = "YOUR_API_KEY"',
  'password: string; token: Uint8Array; key = next(keys2)',
  'max_tokens=4096, total_tokens: 128, tokens = tokenizer2.encode(text)',
  'test_returns_200_when_the_user_is_logged_in_and_active',
  'AbstractSingletonProxyFactoryBeanConfiguration2Builder',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGbPhiyM9x3Qe4Q0mXh1sVjv5yQd7ZJtZc2Kf0s9YVxD me@host',
  'The Authorization header is required; the cookie: a small text.',
  'postgres://user:password@localhost/db',
  '{"token": " hello", "logprob": -0.25, "bytes": [32, 104]}',
  'SGVsbG8gV29ybGQsIHRoaXMgaXMgb3JkaW5hcnkgdGV4dCBpbiBiYXNlNjQ=',
  '{"type":"object","properties":{"password":{"type":"string"}},"required":["password"]}',
])('leaves ordinary text alone: %s', (text) => {
  expect(clean(text)).toBe(text);
});

test('takes out exact values, also escaped, in an address and in base64', () => {
  const secret = 'my "odd" pass/wörd';
  const own = createRedactor({ secrets: [secret] });
  const forms = [
    secret,
    JSON.stringify({ text: secret }),
    JSON.stringify({ text: JSON.stringify({ text: secret }) }),
    encodeURIComponent(secret),
    ...['', 'a', 'ab', 'user:'].map((before) => Buffer.from(`${before}${secret}!`).toString('base64')),
    Buffer.from(`x${secret}y`).toString('base64url'),
  ];
  for (const form of forms) expect(own.redactText(`<${form}>`), form).toMatchObject({ found: 1 });
  expect(() => createRedactor({ secrets: ['abc'] })).toThrow(RedactionError);
});

test('takes out what the user’s own patterns and names say', () => {
  const own = createRedactor({ names: ['Customer Number'], patterns: [{ name: 'iban', pattern: /\bDE\d{20}\b/ }] });
  const before = { customer_number: '12', text: 'DE00123456789012345678 or DE99123456789012345678' };
  expect(redact(before, own)).toEqual({
    value: { customer_number: '[redacted:named]', text: '[redacted:iban] or [redacted:iban]' },
    found: 3,
    withheld: 0,
  });
});

test('looks at names, keys and lists, and leaves schemas, numbers and ids in place', () => {
  const key = `ghp_${noise(36, BASE62, 30)}`;
  const id = noise(40, BASE62, 31);
  const value = {
    headers: { 'x-api-key': 'abc', authorization: ['Bearer x', 'y'], accept: '*/*' },
    [key]: 1,
    password: 12_345_678,
    max_tokens: 5,
    tool_call_id: id,
    schema: { properties: { password: { type: 'string' } } },
    token_ids: [1, 2, 3],
  };
  const { value: kept, found } = redact(value, redactor);
  expect(kept).toEqual({
    headers: {
      'x-api-key': '[redacted:named]',
      authorization: ['[redacted:named]', '[redacted:named]'],
      accept: '*/*',
    },
    '[redacted:api-key]': 1,
    password: '[redacted:named]',
    max_tokens: 5,
    tool_call_id: id,
    schema: { properties: { password: { type: 'string' } } },
    token_ids: [1, 2, 3],
  });
  expect(found).toBe(5);
  expect(kept.token_ids).toBe(value.token_ids);
});

test('returns what holds no secret as the same object, and keeps a key named __proto__ a key', () => {
  const value = { messages: [{ role: 'user', content: 'Hello' }], n: 1 };
  expect(redact(value, redactor).value).toBe(value);
  const odd = JSON.parse('{"__proto__":{"password":"x1"},"a":1}') as object;
  expect(JSON.stringify(redact(odd, redactor).value)).toBe('{"__proto__":{"password":"[redacted:named]"},"a":1}');
});

test('redacting twice is redacting once', () => {
  const pieces = fc.constantFrom(
    ...[
      'password=',
      'hunter22abc',
      '"token": "',
      'Bearer ',
      noise(40, BASE62, 40),
      '\\"',
      '"',
      ' ',
      '\n',
      'secret: ',
      '[redacted:named]',
    ],
    ...[
      `sk-${noise(40, BASE62, 41)}`,
      'postgres://a:',
      '@host',
      'Cookie: ',
      '=',
      'api_key',
      ',',
      '{',
      '}',
      '-----BEGIN PRIVATE KEY-----',
    ],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const once = clean(parts.join(''));
      expect(clean(once)).toBe(once);
    }),
    {
      numRuns: 3_000,
      // A value whose end is escaped, and comes to light when the key inside it is gone.
      examples: [[['password=', '"', 'password=', '-----BEGIN PRIVATE KEY-----', String.raw`\"`, ' ']]],
    },
  );
});

test('the list of arguments of a command is read as its line would be', () => {
  expect(redact({ args: ['--user', 'ann', '--password', 'hunter22'] }, redactor).value).toEqual({
    args: ['--user', 'ann', '--password', '[redacted:named]'],
  });
});

test('a text twice as long takes twice as long, whatever is in it', () => {
  const texts = [
    (at: number) => `hf_${noise(34, BASE62, at)} `,
    (at: number) => `password=${noise(12, BASE62, at)} `,
    (at: number) => `${noise(76, BASE62, at)}\r\n`,
    () => `token=${'Aa'.repeat(240)} `,
    () => 'curl -u ',
    () => '"password":"\\"',
    () => 'eyJa.',
    () => 'sk-sk-',
    () => '-----BEGIN PRIVATE KEY-----',
    () => 'machine login password ',
    () => '\\',
    () => 'https://a:',
  ];
  const time = (text: string): number => {
    const fresh = createRedactor({ secrets: ['aaaaaaaaaaaaaaab1'] });
    const { user } = process.cpuUsage();
    fresh.redactText(text);
    return (process.cpuUsage().user - user) / 1000;
  };
  for (const make of texts) {
    let text = '';
    for (let at = 0; text.length < 200_000; at += 1) text += make(at);
    const short = text.slice(0, 50_000);
    time(short);
    // Four times the text; a quadratic search would take sixteen times as long, and far more than a second.
    expect(time(text), make(0)).toBeLessThan(8 * time(short) + 300);
  }
});
