import { expect, test } from 'vitest';

import { findPython, type FindPythonOptions } from './find-python.ts';
import type { RunTool } from './run-tool.ts';

/** A machine on which these programs are Pythons of these versions, and folders hold these names. */
function createMachine(
  versions: Record<string, string>,
  folders: Record<string, string[]> = {},
): FindPythonOptions & { asked: string[] } {
  const asked: string[] = [];
  const run: RunTool = async ({ command }) => {
    asked.push(command);
    const version = versions[command];
    if (version === undefined) return { code: undefined, output: 'ENOENT' };
    if (version === 'shim') return { code: 127, output: 'pyenv: python3.12: command not found' };
    return { code: 0, output: `version.${version}` };
  };
  const listFolder = async (folder: string): Promise<string[]> => folders[folder] ?? [];
  return { run, listFolder, env: { PATH: '/shims:/bin' }, userHome: '/me', asked };
}

test('python3.12 in the path is taken first', async () => {
  const machine = createMachine({ '/bin/python3.12': '3.12.4', '/bin/python3': '3.12.9' });
  expect(await findPython(machine)).toEqual({ path: '/bin/python3.12', version: '3.12.4' });
});

test('a shim of pyenv that is not switched on is passed over for the newest version behind it', async () => {
  const machine = createMachine(
    {
      '/shims/python3.12': 'shim',
      '/me/.pyenv/versions/3.12.10/bin/python3.12': '3.12.10',
      '/me/.pyenv/versions/3.12.9/bin/python3.12': '3.12.9',
    },
    { '/me/.pyenv/versions': ['3.11.7', '3.12.9', '3.12.10', '3.13.0', 'my-3.12.3'] },
  );
  expect((await findPython(machine)).version).toBe('3.12.10');
});

test("uv's own Pythons are found, also where the environment puts them", async () => {
  const path = '/data/cpython-3.12.7-linux-x86_64-gnu/bin/python3.12';
  const machine = createMachine(
    { [path]: '3.12.7' },
    { '/data': ['cpython-3.12.7-linux-x86_64-gnu', 'cpython-3.13.0'] },
  );
  expect(await findPython({ ...machine, env: { UV_PYTHON_INSTALL_DIR: '/data' } })).toEqual({
    path,
    version: '3.12.7',
  });
});

test('python3 serves when it is a 3.12', async () => {
  const machine = createMachine({ '/bin/python3': '3.12.3', '/shims/python3': '3.11.7' });
  expect((await findPython(machine)).path).toBe('/bin/python3');
});

test('without one the error says what was found and how to get one', async () => {
  const machine = createMachine({ '/bin/python3': '3.11.7', '/bin/python': '3.120.1' });
  await expect(findPython(machine)).rejects.toMatchObject({
    reason: 'python-missing',
    message: expect.stringMatching(/3\.11\.7.*uv python install 3\.12.*--python/),
  });
});

test('a Python that was named is the only one asked', async () => {
  const machine = createMachine({ '/bin/python3.12': '3.12.4', '/mine': '3.13.0' });
  await expect(findPython({ ...machine, python: '/mine' })).rejects.toThrow(/\/mine \(3\.13\.0\)/);
  expect(machine.asked).toEqual(['/mine']);
});

test('an empty part of the path is not the working folder', async () => {
  const machine = createMachine({ 'python3.12': '3.12.1' });
  await expect(findPython({ ...machine, env: { PATH: ':' } })).rejects.toMatchObject({ reason: 'python-missing' });
});
