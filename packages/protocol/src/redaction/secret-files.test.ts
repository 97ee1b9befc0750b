import { expect, test } from 'vitest';
import { isSecretFile } from './secret-files.ts';

/** Well-known places, as people have them in and around their projects. */
const WELL_KNOWN = [
  ...[
    '.env',
    '.env.local',
    '.env.production',
    'app/.ENV',
    'prod.env',
    '.envrc',
    '.flaskenv',
    '.dev.vars',
    '.secrets/openai',
  ],
  ...[
    '.git-credentials',
    '.gitcookies',
    '.netrc',
    '_netrc',
    '.authinfo',
    '.git/config',
    '.npmrc',
    '.yarnrc.yml',
    '.pypirc',
  ],
  ...[
    'pip.conf',
    '.condarc',
    'nuget.config',
    '.docker/config.json',
    '.dockercfg',
    '.kube/config',
    'kubeconfig',
    'prod.kubeconfig',
  ],
  ...[
    '.aws/credentials',
    '.aws/config',
    '.azure/accessTokens.json',
    '.config/gcloud/credentials.db',
    '.config/gh/hosts.yml',
  ],
  ...[
    'application_default_credentials.json',
    'credentials.json',
    'service-account.json',
    'my-service_account-prod.json',
  ],
  ...['x-firebase-adminsdk-a1b2.json', 'client_secret_42.json', 'token.json', '.boto', '.s3cfg', 'rclone.conf'],
  ...[
    '.pgpass',
    '.my.cnf',
    '.mylogin.cnf',
    '.psql_history',
    '.bash_history',
    'config/database.yml',
    'config/master.key',
  ],
  ...[
    '.vault-token',
    '.vault_pass.txt',
    'terraform.tfstate',
    'terraform.tfstate.backup',
    'prod.tfvars',
    'x.auto.tfvars.json',
  ],
  ...[
    '.terraformrc',
    '.terraform.d/credentials.tfrc.json',
    'id_rsa',
    'id_rsa_github',
    'deploy-id_ed25519',
    'id_ecdsa.old',
  ],
  ...['server.pem', 'tls.key', 'cert.p12', 'cert.pfx', 'AuthKey_1.p8', 'putty.ppk', 'keystore.jks', 'release.keystore'],
  ...[
    'vault.kdbx',
    'private.asc',
    'backup.gpg',
    'office.ovpn',
    'wp-config.php',
    '.htpasswd',
    'secrets.yaml',
    'secrets.toml',
  ],
  ...[
    'config/secrets.yml',
    'app.secrets.json',
    'credentials.yml.enc',
    'passwords.txt',
    'api_keys.json',
    'access-token.txt',
  ],
  ...['.cargo/credentials.toml', '.m2/settings.xml', '.kaggle/kaggle.json', 'kaggle.json', '.cache/huggingface/token'],
  ...['.huggingface/token', '.composer/auth.json', '.sentryclirc', 'google-services.json', 'wallet.dat', 'cookies.txt'],
  ...[
    '.ssh/known_hosts',
    '.gnupg/secring.gpg',
    '.local/share/keyrings/login.keyring',
    '.env.bak',
    'id_rsa~',
    'openai_key.txt',
  ],
  ...['secrets/openai.txt', 'deploy_key.pem'],
];

test(`${WELL_KNOWN.length} well-known secret files are known`, () => {
  expect(WELL_KNOWN.length).toBeGreaterThanOrEqual(100);
  expect(WELL_KNOWN.filter((path) => !isSecretFile(path))).toEqual([]);
});

test('what a project is made of is none', () => {
  const ordinary = [
    ...['README.md', '.env.example', '.env.sample', 'src/index.ts', 'environments/token-counting.ts', 'src/tokens.ts'],
    ...['src/secret-names.ts', 'package.json', 'tsconfig.json', 'prompts.jsonl', 'data/problems.jsonl', 'config.yaml'],
    ...['src/password-strength.ts', 'docs/credentials.md', 'recipes/default.yaml', 'test/keys.test.ts', '.gitignore'],
    ...[
      'tokenizer.json',
      'tokenizer_config.json',
      'keyboard.ts',
      'environment.ts',
      '.github/workflows/ci.yml',
      'monkey.py',
    ],
  ];
  expect(ordinary.filter(isSecretFile)).toEqual([]);
});
