import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FILES, MISTAKES } from './mistakes.fixture.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const shipped = fileURLToPath(new URL('../recipes/', import.meta.url));

/** So many at once: most of the time of each is that of loading. */
const AT_ONCE = 3;

interface Reply {
  code: number;
  out: string;
  error: string;
}

const replies = new Map<string, Reply>();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-mistakes-'));
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, name), text);
  const waiting = MISTAKES.map(([typed]) => typed);
  const work = async (): Promise<void> => {
    for (let typed = waiting.shift(); typed !== undefined; typed = waiting.shift()) {
      replies.set(typed, await type(typed));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}, 600_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Places that are others on another machine. */
const hide = (told: string, home: string): string =>
  told.replaceAll(home, '<home>').replaceAll(folder, '<folder>').replaceAll(shipped, '<shipped>');

/** In a folder and with variables that are nobody's. */
async function type(typed: string): Promise<Reply> {
  const home = join(folder, 'home');
  const kept = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };
  const env = { ...kept, HOME: folder, LACHESIS_HOME: home, NO_COLOR: '1' };
  return await new Promise((settle) => {
    const words = ['--conditions=lachesis-source', '--no-warnings', main, ...typed.split(' ')];
    const child = execFile(process.execPath, words, { cwd: folder, env, timeout: 180_000 }, (error, out, told) => {
      const code = error === null ? 0 : Number((error as { code?: number }).code);
      settle({ code, out, error: hide(told, home) });
    });
    child.stdin?.end();
  });
}

test('there are forty of them', () => {
  expect(new Set(MISTAKES.map(([typed]) => typed)).size).toBeGreaterThanOrEqual(40);
});

test.each(MISTAKES)('lachesis %s', (typed, code, sentence) => {
  expect(replies.get(typed)).toEqual({ code, out: '', error: `lachesis: ${sentence}\n` });
});

test('none is a stack, JSON, or the word of a library', () => {
  for (const { error } of replies.values()) {
    expect(error).not.toMatch(/^\s+at |^\{|node:internal|ENOENT|ECONN|undefined|\[object/m);
    expect(error.trimEnd().split('\n')).toHaveLength(1);
  }
});
