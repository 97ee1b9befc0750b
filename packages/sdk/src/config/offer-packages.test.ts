import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const source = fileURLToPath(new URL('offer-packages.ts', import.meta.url));
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-offer-'));
  await write(
    'program/node_modules/@a/kit/package.json',
    '{ "type": "module", "exports": { ".": "./i.js", "./more": "./m.js" } }',
  );
  await write('program/node_modules/@a/kit/i.js', "export const from = 'the program';");
  await write('program/node_modules/@a/kit/m.js', "export const from = 'more of the program';");
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function write(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), text);
}

/** What a program says that offers its kit and loads a file of an author. */
async function load(text: string): Promise<string> {
  await write('author/file.mjs', text);
  const from = pathToFileURL(join(folder, 'program/main.mjs')).href;
  await write(
    'program/main.mjs',
    `import { offerPackages } from ${JSON.stringify(pathToFileURL(source).href)};
offerPackages({ '@a/kit': ${JSON.stringify(from)} });
offerPackages({ other: ${JSON.stringify(from)} });
console.log(await import(${JSON.stringify(pathToFileURL(join(folder, 'author/file.mjs')).href)}).then(({ from }) => from, ({ code }) => code));`,
  );
  return await new Promise((settle) => {
    execFile(process.execPath, ['--no-warnings', join(folder, 'program/main.mjs')], (_error, out, told) =>
      settle((out + told).trim()),
    );
  });
}

test('a file in an empty folder uses what the program came with, and paths below it', async () => {
  expect(await load("export { from } from '@a/kit';")).toBe('the program');
  expect(await load("export { from } from '@a/kit/more';")).toBe('more of the program');
});

test('what is not offered is missing', async () => {
  expect(await load("export { from } from '@a/kitchen';")).toBe('ERR_MODULE_NOT_FOUND');
});

test('what is installed beside the file goes first, and is told when it is broken', async () => {
  await write('author/node_modules/@a/kit/package.json', '{ "type": "module", "exports": { ".": "./i.js" } }');
  await write('author/node_modules/@a/kit/i.js', "export const from = 'the author';");
  expect(await load("export { from } from '@a/kit';")).toBe('the author');
  // It is there and has no such path: another copy behind the author's back would hide that.
  expect(await load("export { from } from '@a/kit/more';")).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
});
