import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createNoise } from '../../e2e/capture/plant-secrets.ts';

const LENGTH = 1_000_000;

/** A million characters each: texts that cost a careless search the most, and the code and prose of every day. */
export function makeHostileTexts(root: string): Readonly<Record<string, string>> {
  const noise = createNoise(41);
  const fill = (make: (at: number) => string): string => {
    const parts: string[] = [];
    for (let [at, length] = [0, 0]; length < LENGTH; at += 1) {
      const part = make(at);
      length += part.length;
      parts.push(part);
    }
    return parts.join('').slice(0, LENGTH);
  };
  const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return {
    'code of this repository': fill(readSources(root)),
    prose: fill(
      () => 'He said that the key to the house was with the neighbour, and that the token of thanks would do. ',
    ),
    '20,000 keys': fill(() => `hf_${noise(34)} `),
    'an attachment': fill(() => `${noise(76, base64)}\r\n`),
    'values of 480 characters': fill(() => `token=${'Aa'.repeat(240)} `),
    'capitals of 480': fill(() => `token=${'A'.repeat(478)}1b `),
    passwords: fill(() => `password=${noise(12)} `),
    'a table in JSON': fill((at) => `{"id":${at},"name":"x","api_key":"${noise(20)}"},\n`),
    digests: fill(() => `${noise(64, '0123456789abcdef')} `),
    'quotes that never close': fill(() => '"password":"\\"'),
    'commands without end': fill(() => 'curl -u mysql -p '),
    'keys that begin again': fill(() => 'sk-sk-hf_eyJ-'),
    'private keys that never end': fill(() => '-----BEGIN PRIVATE KEY-----'),
    percent: fill(() => '%61%2d'),
    'characters nobody sees': fill(() => 'a\u200B'),
    addresses: fill(() => 'https://ann:p4ssw0rd99@h/ '),
    backslashes: fill(() => '\\'),
    'the value it looks for': fill(() => 'aaaaaaaaaaaaaaaa'),
  };
}

function readSources(root: string): (at: number) => string {
  const folder = path.join(root, 'packages/server/src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .toSorted();
  return (at) => readFileSync(path.join(folder, files[at % files.length] ?? ''), 'utf8');
}
