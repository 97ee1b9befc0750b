import { expect, test } from 'vitest';
import { askRegistry } from './find-versions.ts';

const fail = (stderr: string, facts: object = {}) => ({
  run: async () => {
    throw Object.assign(new Error('Command failed'), { stderr, ...facts });
  },
});
const pip = { registry: 'pypi', name: 'trl' };
const npm = { registry: 'npm', name: 'zod' };
const NONE = 'ERROR: No matching distribution found for trl\n';

test('versions are those that the client prints, newest first', async () => {
  const stdout = 'trl (1.16.0)\nAvailable versions: 1.16.0, 1.15.1\n';
  expect(await askRegistry(pip, { run: async () => ({ stdout }) })).toEqual({ versions: ['1.16.0', '1.15.1'] });
  expect(await askRegistry(npm, { run: async () => ({ stdout: '["1.0.0","1.1.0"]' }) })).toEqual({
    versions: ['1.1.0', '1.0.0'],
  });
  expect(await askRegistry(npm, { run: async () => ({ stdout: '"1.0.0"' }) })).toEqual({ versions: ['1.0.0'] });
});

test('a name that a registry does not know has no versions', async () => {
  expect(await askRegistry(pip, fail(NONE))).toEqual({ versions: [] });
  expect(await askRegistry(npm, fail('npm error code E404\nnpm error 404 Not Found\n'))).toEqual({ versions: [] });
});

test('a registry that is away is silent, with the reason', async () => {
  const retrying = "WARNING: Retrying (Retry(total=0)) after connection broken by 'ProxyError'";
  expect(await askRegistry(pip, fail(`${retrying}: /simple/trl/\n${NONE}`))).toEqual({
    silent: `${retrying}: /simple/trl/`,
  });
  expect(await askRegistry(npm, fail('npm error code ECONNREFUSED\n'))).toEqual({
    silent: 'npm error code ECONNREFUSED',
  });
  expect(await askRegistry(pip, fail('', { killed: true }))).toEqual({ silent: 'no answer within 60 s' });
  expect(await askRegistry(pip, { run: async () => ({ stdout: '' }) })).toEqual({ silent: 'pip printed no versions' });
});
