import { join } from 'node:path';
import { edit, send, type Attack } from './attack.ts';

const deep = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

/** Code that is not the project's, and code the recipe does not let anybody set. */
const code: Attack[] = [
  edit('kinds', 'a file of the project as code', 'reward', 'environments/probe.ts'),
  edit('kinds', 'a file outside as code', 'reward', ({ outside }: { outside: string }) => join(outside, 'evil.mjs')),
  edit('kinds', 'code in an address', 'reward', 'data:text/javascript,process.exit(7)'),
  edit('kinds', 'a command in an undeclared field', 'start_command', 'touch owned.txt'),
  edit('path', 'a file outside as editable code', 'hook', ({ outside }: { outside: string }) =>
    join(outside, 'evil.mjs'),
  ),
  edit('path', 'climbing to code', 'hook', '../outside/evil.mjs'),
  edit('path', 'a link to code', 'hook', 'data/link.mjs'),
  edit('path', 'a folder that is a link, to code', 'hook', 'data/folder/evil.mjs'),
  edit('url', 'code in an editable address', 'hook', 'data:text/javascript,process.exit(7)'),
  edit(
    'url',
    'code by a file address',
    'hook',
    ({ outside }: { outside: string }) => `file://${join(outside, 'evil.mjs')}`,
  ),
  edit(
    'url',
    'code of a server',
    'hook',
    ({ canaryPort }: { canaryPort: number }) => `http://127.0.0.1:${canaryPort}/evil.mjs`,
  ),
  edit('url', 'a module of the runtime as code', 'hook', 'node:child_process'),
];

const paths: Attack[] = [
  edit('kinds', 'a path the recipe does not list', 'prompts_path', 'data/notes.jsonl'),
  edit('kinds', 'a system file', 'prompts_path', '/etc/passwd'),
  edit('kinds', 'a path in an undeclared field', 'dataset_file', '/etc/passwd'),
  edit('kinds', 'a path in a field that is none by its name', 'style', '/etc/passwd'),
  edit('kinds', 'climbing in a field that is none by its name', 'style', '../outside/secret.jsonl'),
  edit('kinds', 'the home in a field that is none by its name', 'style', '~/.ssh/id_rsa'),
  edit('path', 'a system file in an editable path', 'notes_path', '/etc/passwd'),
  edit('path', 'variables of the server', 'notes_path', '/proc/self/environ'),
  edit('path', 'climbing', 'notes_path', '../outside/secret.jsonl'),
  edit('path', 'climbing behind a folder', 'notes_path', 'data/../../outside/secret.jsonl'),
  edit('path', 'a link', 'notes_path', 'data/link.jsonl'),
  edit('path', 'a folder that is a link', 'notes_path', 'data/folder/secret.jsonl'),
  edit('path', 'a link to what is not there yet', 'notes_path', 'data/later.jsonl'),
  edit('path', 'a secret file', 'notes_path', '.env'),
  edit('path', 'a link to a secret file', 'notes_path', 'plain.txt'),
  edit('path', 'a path with a zero byte', 'notes_path', 'data/notes.jsonl\0/../../outside/secret.jsonl'),
  edit('path', 'the folder above', 'notes_path', '..'),
  edit(
    'url',
    'an address as a path',
    'notes_path',
    ({ canaryPort }: { canaryPort: number }) => `http://127.0.0.1:${canaryPort}/x`,
  ),
  edit('url', 'a file address as a path', 'notes_path', 'file:///etc/passwd'),
  edit('url', 'a share as a path', 'notes_path', '//127.0.0.1/share/x'),
];

/** Spellings of one place that must not be asked. */
const spellings: readonly (readonly [string, (port: number) => string])[] = [
  ['loopback', (port) => `http://127.0.0.1:${port}/`],
  ['its name', (port) => `http://localhost:${port}/`],
  ['its name with a dot', (port) => `http://localhost.:${port}/`],
  ['a name below it', (port) => `http://a.localhost:${port}/`],
  ['short', (port) => `http://127.1:${port}/`],
  ['decimal', (port) => `http://2130706433:${port}/`],
  ['hexadecimal', (port) => `http://0x7f.0.0.1:${port}/`],
  ['octal', (port) => `http://0177.0.0.01:${port}/`],
  ['zero', (port) => `http://0.0.0.0:${port}/`],
  ['version 6', (port) => `http://[::1]:${port}/`],
  ['mapped', (port) => `http://[::ffff:127.0.0.1]:${port}/`],
  ['translated', (port) => `http://[64:ff9b::7f00:1]:${port}/`],
  ['wide digits', (port) => `http://１２７.０.０.１:${port}/`],
  ['a name and a password before it', (port) => `http://example.com@127.0.0.1:${port}/`],
  ['a backslash', (port) => `http://example.com\\@127.0.0.1:${port}/`],
  ['a zero byte', (port) => `http://127.0.0.1:${port}/\0`],
  ['credentials of a cloud', () => 'http://169.254.169.254/latest/meta-data/iam/'],
  ['credentials of another cloud', () => 'http://metadata.google.internal/computeMetadata/v1/'],
  ['a private network', () => 'http://10.0.0.1/'],
  ['another scheme', () => 'gopher://example.com/'],
];

const urls: Attack[] = [
  ...spellings.map(([name, write]) =>
    edit('url', name, 'mirror_url', ({ canaryPort }: { canaryPort: number }) => write(canaryPort)),
  ),
  edit('kinds', 'an address in an undeclared field', 'judge_endpoint', 'https://example.com/'),
  edit('kinds', 'an address in a field that is none by its name', 'style', 'https://example.com/?key='),
];

const locks: Attack[] = [
  edit('lock', 'the reward server of the recipe', 'reward_url', 'https://example.com/'),
  edit('lock', 'a plain value of the recipe', 'level', 3),
  edit('lock', 'a size of the recipe', 'batch_size', 8),
  edit('lock', 'steps', 'total_steps', 1_000_000),
  edit('lock', 'the rank', 'lora_rank', 1),
  edit(
    'lock',
    'where rollouts go',
    'rollout_server_url',
    ({ canaryPort }: { canaryPort: number }) => `http://127.0.0.1:${canaryPort}`,
  ),
  edit('lock', 'what marks fields of an agent', 'api_fields', []),
  edit('lock', 'the list of the recipe itself', 'editable', ['reward']),
  edit('lock', 'the prototype', '__proto__', { reward: 'x' }),
  edit('lock', 'the constructor', 'constructor', 'x'),
  edit('lock', 'another section', 'openai.0.base_url', 'https://example.com/'),
  {
    ...{ rule: 'lock', name: 'a value nested 20,000 deep' },
    async run(world) {
      for (const body of [`{"field":"style","value":${deep(20_000)}}`, `{"config":{"style":${deep(20_000)}}}`]) {
        const path = body.startsWith('{"field"') ? '/config' : '/runs';
        const { status } = await send(world, 'POST', path, body);
        if (status < 400 || status >= 500) return `${path} answered ${status}`;
      }
      return undefined;
    },
  },
];

export const SETTING_ATTACKS: readonly Attack[] = [...code, ...paths, ...urls, ...locks];
