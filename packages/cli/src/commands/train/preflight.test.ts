import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { findRankProblem } from './preflight.ts';

const MAIN = new URL('../../main.ts', import.meta.url).pathname;
const url = 'http://127.0.0.1:8100';

test('a rank that the engine of this machine does not take is refused with the one it takes', () => {
  const engine = { url, maxLoraRank: 16 };
  expect(findRankProblem({ tinker: { lora_rank: 32 }, engineUrl: url, engine })).toContain('--tinker.lora_rank 16');
  expect(findRankProblem({ tinker: { lora_rank: 16 }, engineUrl: url, engine })).toBeUndefined();
});

test.each([
  ['an engine elsewhere', { tinker: { lora_rank: 32 }, engineUrl: 'http://there', engine: { url, maxLoraRank: 16 } }],
  ['no engine here', { tinker: { lora_rank: 32 }, engineUrl: undefined, engine: undefined }],
  ['an engine that does not say', { tinker: { lora_rank: 32 }, engineUrl: url, engine: { url } }],
  [
    'weights that are gone on with',
    { tinker: { lora_rank: 32, initial_state: 'tinker://a/b' }, engineUrl: url, engine: { url, maxLoraRank: 16 } },
  ],
])('%s is not judged', (_, options) => {
  expect(findRankProblem(options)).toBeUndefined();
});

test.each([
  ['a file that is not there', ['--environment', 'nosuch.ts'], 'nosuch.ts'],
  ['a misspelt setting', ['--environment', 'digits', '--env.group_sze', '4'], 'group_size'],
])(
  '%s is refused before a process is started',
  async (_, flags, word) => {
    const home = await mkdtemp(join(tmpdir(), 'lachesis-preflight-'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const child = spawn(
      process.execPath,
      ['--conditions=lachesis-source', MAIN, 'train', '--home', home, '--tinker.base_model', 'm', ...flags],
      {
        cwd: home,
        env: {
          ...{ PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], HOME: home },
          TINKER_BASE_URL: 'http://127.0.0.1:9',
        },
      },
    );
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const [said, code] = await Promise.all([readText(child.stderr), ended]);
    expect(code).toBe(1);
    expect(said).toContain(word);
    expect(await readdir(home)).not.toContain('logs');
  },
  60_000,
);
