import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { typePage } from './type-page.ts';

const fence = (info: string, ...lines: string[]): string => ['```' + info, ...lines, '```', ''].join('\n');
const server =
  `node -e "require('http').createServer((_, reply) => reply.end('hello')).listen(0, '127.0.0.1', function () {` +
  ` require('fs').writeFileSync('port', String(this.address().port)); console.log('up') })"`;

async function follow(page: string) {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-page-'));
  await writeFile(join(folder, '.bashrc'), 'GREETING=hello\n');
  const env = { HOME: folder, PATH: process.env['PATH'] ?? '' };
  return await typePage({ page, folder, env, log: () => {} });
}

test('a page whose commands work, with a server in a second window, fails nowhere', async () => {
  const page = [
    fence('sh terminal=server', server),
    fence('js file=ask.mjs', "import { readFileSync } from 'node:fs';", 'const port = readFileSync("port", "utf8");'),
    fence('', 'this is read'),
    fence('sh', 'node ask.mjs', 'test "$(curl -s localhost:$(cat port))" = "$GREETING"'),
  ].join('\n');
  const { commands, failed, files, read } = await follow(page);
  expect(failed).toEqual([]);
  expect([commands.length, files, read]).toEqual([3, 1, 1]);
});

test('the first command that fails is told, and the rest is not typed', async () => {
  const { commands, failed } = await follow(fence('sh', 'true', 'ls --nosuch-flag', 'true'));
  expect(commands.length).toBe(2);
  expect(failed).toMatchObject([{ command: 'ls --nosuch-flag' }]);
  expect(failed[0]?.output).toContain('nosuch-flag');
});

test('a server that does not come up has failed', async () => {
  const { failed } = await follow(fence('sh terminal=server', 'nosuch-server'));
  expect(failed).toMatchObject([{ command: 'nosuch-server', code: 127 }]);
});
