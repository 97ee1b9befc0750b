import { expect, test } from 'vitest';
import { chooseVariables, rewardKeyOf } from './process-variables.ts';

const ALL = {
  ...{ PATH: '/bin', HOME: '/home/a', LANG: 'C', LC_ALL: 'C.UTF-8', TZ: 'UTC', LACHESIS_HOME: '/h' },
  ...{ LACHESIS_TOKEN: 'admin', OPENAI_API_KEY: 'sk', OPENROUTER_API_KEY: 'or', TINKER_API_KEY: 'tml', HF_TOKEN: 'hf' },
  ...{ WANDB_API_KEY: 'w', AWS_SECRET_ACCESS_KEY: 'aws', LACHESIS_REWARD_KEY: 'rk', LACHESIS_UPSTREAM_API_KEY: 'up' },
  ...{
    DATABASE_URL: 'postgres://u:p@h/d',
    TINKER_BASE_URL: 'http://u:p@engine',
    LACHESIS_UPSTREAM_URL: 'http://u:p@x',
  },
  ...{ LACHESIS_ENV_SEED: '7', LACHESIS_ENV_ROLLOUT_SERVER_TOKEN: 't', LACHESIS_MAX_QUEUED_GROUPS: '9' },
  ...{ LACHESIS_CHILD_SETTINGS: '{"token":"x"}', LACHESIS_PROGRAM: '{}', SSH_AUTH_SOCK: '/s', GITHUB_TOKEN: 'gh' },
  ...{ HTTPS_PROXY: 'http://proxy:3128', HTTP_PROXY: 'http://name:password@proxy:3128', MY_DATA: 'd' },
};
const namesOf = (role: 'api' | 'env' | 'trainer', passed: string[] = []): string[] =>
  Object.keys(chooseVariables(ALL, { role, passed })).toSorted();
const SHARED = ['HOME', 'HTTPS_PROXY', 'LACHESIS_HOME', 'LACHESIS_SECRETS', 'LANG', 'LC_ALL', 'PATH', 'TZ'];

test('a process is given what it needs of the server, and no credential it has no business with', () => {
  expect(namesOf('env')).toEqual([...SHARED, 'LACHESIS_ENV_SEED'].toSorted());
  expect(namesOf('api')).toEqual([...SHARED, 'DATABASE_URL', 'LACHESIS_MAX_QUEUED_GROUPS'].toSorted());
  expect(namesOf('trainer')).toEqual(
    [
      ...SHARED,
      'DATABASE_URL',
      'HF_TOKEN',
      'LACHESIS_ENV_SEED',
      'TINKER_API_KEY',
      'TINKER_BASE_URL',
      'WANDB_API_KEY',
    ].toSorted(),
  );
});

test('who opens payloads in an object store gets its keys; an environment does not', () => {
  const env = { ...ALL, LACHESIS_BLOBS: 's3://bucket/a' };
  for (const role of ['api', 'trainer'] as const) {
    const { LACHESIS_BLOBS: place, AWS_SECRET_ACCESS_KEY: key } = chooseVariables(env, { role });
    expect({ place, key }).toEqual({ place: 's3://bucket/a', key: 'aws' });
  }
  expect(Object.keys(chooseVariables(env, { role: 'env' })).toSorted()).toEqual(namesOf('env'));
});

test('an operator adds names for what trains and what is trained on', () => {
  const passed = ['HF_TOKEN', 'MY_DATA', 'NOT_SET'];
  expect(namesOf('env', passed)).toEqual([...namesOf('env'), 'HF_TOKEN', 'MY_DATA'].toSorted());
  expect(namesOf('trainer', passed)).toContain('HF_TOKEN');
  expect(namesOf('api', passed)).toEqual(namesOf('api'));
});

test('the key of a reward server goes to an environment that has one', () => {
  expect(rewardKeyOf({ reward_url: 'http://r' }, ALL)).toEqual({ LACHESIS_REWARD_KEY: 'rk' });
  expect(rewardKeyOf({ reward: 'https://r' }, ALL)).toEqual({ LACHESIS_REWARD_KEY: 'rk' });
  expect(rewardKeyOf({ reward: 'r.ts' }, ALL)).toEqual({});
  // Who named a place through the API is not the operator.
  expect(rewardKeyOf({ reward_url: 'http://r', api_fields: ['reward_url'] }, ALL)).toEqual({});
  expect(rewardKeyOf({ reward_url: 'http://r', api_fields: ['prompts_path'] }, ALL)).toEqual({});
  expect(rewardKeyOf({ reward_url: null }, ALL)).toEqual({});
  expect(rewardKeyOf({ reward_url: 'http://r' }, {})).toEqual({});
});
