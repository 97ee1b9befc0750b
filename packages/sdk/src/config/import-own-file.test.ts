import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

const source = new URL('import-own-file.ts', import.meta.url).href;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-own-file-'));
  await write('package.json', '{ "type": "commonjs" }');
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);

/** What the default export of a file is, in a Node of its own: hooks are for a whole process. */
async function load(file: string, code = 'importOwnFile(file)'): Promise<string> {
  const program = `
    const { importOwnFile } = await import(${JSON.stringify(source)});
    const file = ${JSON.stringify(join(folder, file))};
    console.log(await ${code}.then((module) => module.default, (error) => error.message));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--no-warnings', '--input-type=module', '--eval', program],
  ]);
  return stdout.trim();
}

test('a module in a package that npm made of CommonJS is imported, and what it imports', async () => {
  await write('own.ts', "import { word } from './helper.ts';\nexport default `${word satisfies string}, world`;\n");
  await write('helper.ts', "const word: string = 'hello';\nexport { word };\n");
  await write('own.js', "export default 'plain';\n");
  expect(await load('own.ts')).toBe('hello, world');
  expect(await load('own.js')).toBe('plain');
  // Node alone does not.
  expect(await load('own.ts', `import(${JSON.stringify(pathToFileURL(join(folder, 'own.ts')).href)})`)).toMatch(
    /outside a module/,
  );
});

test('what is CommonJS stays so, and may say import and export in its text', async () => {
  await write(
    'own.js',
    "/* What we\n  export is\n  import and export */\nmodule.exports = require('./other.js') + ' export';\n",
  );
  await write('other.js', "exports.text = () => import('node:fs');\nmodule.exports = 'import';\n");
  expect(await load('own.js')).toBe('import export');
});

test('a version that changed is another module', async () => {
  await write('own.ts', "export default ['first', 'second'][(globalThis.loads = (globalThis.loads ?? -1) + 1)];\n");
  expect(await load('own.ts', "importOwnFile(file, 'a').then(() => importOwnFile(file, 'a'))")).toBe('first');
  expect(await load('own.ts', "importOwnFile(file, 'a').then(() => importOwnFile(file, 'b'))")).toBe('second');
});
