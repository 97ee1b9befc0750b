/*
 * Files that are known to hold keys, passwords or what opens an account. What is in them goes to no model and into no setting
 * of an agent. Names are compared without regard to case.
 */

/** Whole names. */
const NAMES: ReadonlySet<string> = new Set([
  // Shells and environments.
  ...['.env', '.envrc', '.flaskenv', '.dev.vars', '.secrets', '.secret', 'secrets', 'secret', '.pam_environment'],
  ...['.bash_history', '.zsh_history', '.sh_history', '.python_history', '.node_repl_history', '.psql_history'],
  ...['.mysql_history', '.sqlite_history', '.rediscli_history', '.dbshell', '.irb_history'],
  // Packages and registries.
  ...['.npmrc', '.yarnrc', '.yarnrc.yml', '.pypirc', 'pip.conf', 'pip.ini', '.gemrc', '.condarc', 'nuget.config'],
  ...['auth.json', '.dockercfg', '.dockerconfigjson', 'settings-security.xml', '.cargo-credentials', '.bintray'],
  // Sources and remote shells.
  ...[
    '.git-credentials',
    '.gitcookies',
    '.netrc',
    '_netrc',
    '.authinfo',
    '.authinfo.gpg',
    'known_hosts',
    'authorized_keys',
  ],
  ...['.hgrc', '.p4tickets', 'ssh_host_rsa_key', 'ssh_host_ecdsa_key', 'ssh_host_ed25519_key'],
  // Databases.
  ...[
    '.pgpass',
    'pgpass.conf',
    '.my.cnf',
    '.mylogin.cnf',
    '.mongorc.js',
    '.mongoshrc.js',
    '.pg_service.conf',
    'tnsnames.ora',
  ],
  ...['database.yml', 'redis.conf', '.clickhouse-client'],
  // Clouds and what deploys to them.
  ...[
    '.boto',
    '.s3cfg',
    '.vault-token',
    '.vault_pass',
    '.vault_pass.txt',
    'vault_pass.txt',
    'vault-password',
    '.terraformrc',
  ],
  ...[
    'terraform.rc',
    'terraform.tfstate',
    'terraform.tfstate.backup',
    'credentials',
    'credentials.json',
    'credentials.yml',
  ],
  ...['credentials.yaml', 'credentials.toml', 'credentials.tfrc.json', 'application_default_credentials.json'],
  ...['accesstokens.json', 'azureprofile.json', 'msal_token_cache.json', 'kubeconfig', 'kubelet.conf', 'admin.conf'],
  ...['heroku.json', '.fly.toml', 'rclone.conf', 'doctl.yaml', 'hosts.yml', 'config.gateway.json', 'pulumi.dev.yaml'],
  // Web frames and services.
  ...['wp-config.php', 'master.key', 'credentials.yml.enc', 'secret_token.rb', 'local_settings.py', 'secrets.yml'],
  ...['appsettings.production.json', 'firebase-adminsdk.json', 'google-services.json', 'googleservice-info.plist'],
  ...[
    'sentry.properties',
    '.sentryclirc',
    '.slack-token',
    'client_secret.json',
    'token.json',
    'tokens.json',
    'oauth.json',
  ],
  ...['.rollbar', '.jira.d', '.htpasswd', '.htdigest', 'shadow', 'gshadow', 'master.passwd', 'sudoers'],
  // Of this field.
  ...[
    '.wandb-key',
    'kaggle.json',
    '.cookiejar',
    'cookies.txt',
    'cookies.sqlite',
    'login data',
    'key4.db',
    'logins.json',
  ],
  // Wallets and managers of passwords.
  ...['wallet.dat', 'id.json', 'keyring', '.keychain', 'keychain.db', 'login.keychain-db', 'kdbx', '.password-store'],
]);

/** Endings and forms of names. */
const FORMS: readonly RegExp[] = [
  /^\.env\.(?!example$|sample$|template$|dist$|schema$)/,
  /\.env$/,
  /^secrets?[._-]/,
  /[._-]secrets?\.(?:json|ya?ml|toml|ini|txt|env|php|rb|py)$/,
  /^(?:.*[._-])?(?:credentials?|passwords?|passwd|passphrase)(?:[._-].*)?$/,
  /^(?:.*[._-])?id_(?:rsa|ed25519|ecdsa|dsa|ed25519_sk|ecdsa_sk|xmss)(?:[._-].*)?$/,
  /^(?:.*[._-])?service[._-]?account(?:[._-].*)?\.json$/,
  /^(?:.*-)?firebase-adminsdk-.*\.json$/,
  /^client[._-]secrets?.*\.json$/,
  /\.(?:pem|key|p8|p12|pfx|pkcs12|ppk|jks|jceks|keystore|bks|kdbx|kdb|agilekeychain|keychain|asc|gpg|pgp)$/,
  /\.(?:tfvars|tfvars\.json|tfstate|tfstate\.\d+\.backup|tfstate\.backup)$/,
  /\.(?:ovpn|rdp|mobileprovision|provisionprofile|cer\.key|crt\.key|publishsettings|azurepubxml)$/,
  /^keystore(?:\..*)?$/,
  /^truststore(?:\..*)?$/,
  /^(?:.*[._-])?(?:api[._-]?keys?|access[._-]?tokens?|auth[._-]?tokens?|private[._-]?keys?)(?:\.(?:txt|json|ya?ml|toml|ini|env|cfg|conf))?$/,
  /^\.?(?:aws|gcp|azure|openai|anthropic|hf|huggingface|github|gitlab|slack)[._-](?:credentials?|keys?|tokens?|secrets?)(?:\..*)?$/,
  /^\.[\w-]*(?:_|-)?token$/,
  /^kubeconfig(?:[._-].*)?$/,
  /^.*\.kubeconfig$/,
];

/** Folders that hold such files whatever they are called. */
const FOLDERS: ReadonlySet<string> = new Set([
  ...[
    '.git',
    '.ssh',
    '.aws',
    '.gnupg',
    '.azure',
    '.kube',
    '.docker',
    '.gcloud',
    '.oci',
    '.aliyun',
    '.ibmcloud',
    '.password-store',
  ],
  ...[
    '.vault',
    '.secrets',
    '.chef',
    '.electrum',
    '.bitcoin',
    '.ethereum',
    '.mozilla',
    '.thunderbird',
    '.terraform.d',
    '.keys',
  ],
]);

/** Parts of paths that say it together. */
const PLACES: readonly RegExp[] = [
  /(?:^|\/)\.config\/(?:gcloud|gh|hub|op|rclone|doctl|heroku|containers|stripe|sops|age|filezilla)(?:\/|$)/,
  /(?:^|\/)\.(?:cache\/)?huggingface\/(?:token|stored_tokens)$/,
  /(?:^|\/)\.(?:kaggle|cargo|m2|gem|nuget|composer|databricks|snowflake|modal|openai|wandb)\/(?:.*\/)?(?:kaggle\.json|credentials(?:\.toml)?|settings\.xml|auth\.json|config(?:\.toml)?|token|settings)$/,
  /(?:^|\/)(?:\.subversion\/auth|\.svn\/auth|\.local\/share\/keyrings)(?:\/|$)/,
  /(?:^|\/)proc\/(?:self|\d+)\/(?:environ|cmdline|mem|maps)$/,
];

/** Whether a file is one where secrets are kept. The path is from the project on, with slashes. */
export function isSecretFile(path: string): boolean {
  const parts = path
    .replaceAll('\\', '/')
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  if (parts.some((part) => FOLDERS.has(part))) return true;
  // A folder of such a name holds them too; a copy keeps what it is a copy of.
  if (
    parts.some(
      (part) =>
        isSecretName(part) ||
        isSecretName(part.replace(/(?:\.(?:bak|old|orig|save|swp|copy|gz|zip|tar|tgz|1)|~)+$/, '')),
    )
  )
    return true;
  const whole = parts.join('/');
  return PLACES.some((place) => place.test(whole));
}

/** Code and pages are about secrets more often than they hold any; what they hold is found by redaction. */
const SOURCE = /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|swift|c|h|cpp|cs|md|rst|html|css|scss|vue|svelte|ipynb)$/;

const isSecretName = (name: string): boolean =>
  NAMES.has(name) || (!SOURCE.test(name) && FORMS.some((form) => form.test(name)));
