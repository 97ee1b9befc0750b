import { expect, test } from 'vitest';

import { createEngineEnvironment } from './tool-environment.ts';

test('the engine gets its own Python and no credential, and the network stays out', () => {
  const env = {
    PATH: '/bin',
    HOME: '/me',
    LACHESIS_CI_RUN: '1',
    PYTHONPATH: '/theirs',
    PYTHONHOME: '/theirs',
    UV_PYTHON: '3.13',
    UV_INDEX_URL: 'x',
    TINKER_API_KEY: 'tml-secret',
    HF_TOKEN: 'secret',
    XLA_FLAGS: '--flag',
  };
  const made = createEngineEnvironment({ env, venvDirectory: '/venv', standIns: '/stand-ins', compileCache: '/cache' });
  expect(made).toMatchObject({
    PATH: '/venv/bin:/bin',
    HOME: '/me',
    LACHESIS_CI_RUN: '1',
    XLA_FLAGS: '--flag',
    VIRTUAL_ENV: '/venv',
    PYTHONPATH: '/stand-ins',
    UV_OFFLINE: '1',
    JAX_COMPILATION_CACHE_DIR: '/cache',
  });
  expect(JSON.stringify(made)).not.toMatch(/secret|theirs/);
  expect(Object.keys(made)).not.toContain('UV_PYTHON');
});
