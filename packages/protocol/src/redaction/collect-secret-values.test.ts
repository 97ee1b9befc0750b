import { expect, test } from 'vitest';

import { collectSecretValues } from './collect-secret-values.ts';

test('collects values by the name of their variable, and passwords in addresses', () => {
  const values = collectSecretValues({
    OPENAI_API_KEY: 'sk-abcdefgh1',
    SECRET_KEY_BASE: 'abcdefgh12',
    HF_TOKEN: 'hf_12345678',
    DATABASE_URL: 'postgres://me:pass-word-1@db/x',
    PWD: '/srv/me/my-project',
    SSH_AUTH_SOCK: '/tmp/agent.1',
    POSTGRES_PASSWORD: 'postgres',
    STRIPE_PUBLIC_KEY: 'pk_live_12345678',
    MAX_TOKENS: '4096000000',
    TOKENIZERS_PARALLELISM: 'false-false-1',
    GITHUB_TOKEN_FILE: '/run/secrets/github',
    SHORT_KEY: 'abc1',
    EMPTY_TOKEN: undefined,
  });
  expect(values).toEqual(['sk-abcdefgh1', 'abcdefgh12', 'hf_12345678', 'pass-word-1']);
});
