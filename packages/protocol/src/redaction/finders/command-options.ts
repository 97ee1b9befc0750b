/** Where a program takes a secret on its command line. */
export interface Command {
  /** Words that follow the program: `docker login`. */
  readonly words?: readonly string[];
  /** Options whose value is the secret, after a blank or `=`. */
  readonly secret?: readonly string[];
  /** Options to which the secret is glued: `-pS3cret`. */
  readonly glued?: readonly string[];
  /** Options whose value is a name and the secret: `me:S3cret`. */
  readonly pair?: readonly string[];
  /** What is between the two; default a colon. */
  readonly separator?: string;
  /** The argument without a dash that is the secret, counted from the first one; negative from the last. */
  readonly positional?: number;
}

const login: Command = { words: ['login'], secret: ['-p', '--password', '--token', '--creds'], glued: [] };
const mysql: Command = { glued: ['-p', '--password='] };
const zip: Command = { secret: ['-P', '--password'], glued: ['-P'] };
const http: Command = { secret: ['--password'], pair: ['-a', '--auth', '-A'] };
const winrm: Command = { secret: ['-p', '--password', '-P'] };
const domain: Command = { pair: ['-U', '--user'], separator: '%', secret: ['-p', '--password'] };

const TABLE: readonly (readonly [programs: string, command: Command])[] = [
  ['curl', { pair: ['-u', '--user', '-U', '--proxy-user'] }],
  ['curl', { secret: ['--oauth2-bearer', '--pass', '--proxy-pass', '--key-pass', '--tlspassword'] }],
  ['http https xh httpie ab hey wrk', http],
  ['wget aria2c', { secret: ['--password', '--http-password', '--http-passwd', '--ftp-password', '--proxy-password'] }],
  ['mysql mysqldump mysqladmin mysqlimport mysqlsh mariadb mariadb-dump mycli', mysql],
  ['sshpass', { secret: ['-p'], glued: ['-p'] }],
  ['docker podman nerdctl buildah skopeo helm oras crane', login],
  ['docker', { secret: ['--from-literal'] }],
  ['helm', { words: ['registry', 'login'], secret: ['-p', '--password'] }],
  ['skopeo', { pair: ['--creds', '--src-creds', '--dest-creds'] }],
  ['redis-cli valkey-cli', { secret: ['-a', '--pass'] }],
  ['mongo mongosh mongodump mongorestore mongoexport mongoimport', { secret: ['-p', '--password'], glued: ['-p'] }],
  ['ldapsearch ldapmodify ldapadd ldapwhoami ldappasswd', { secret: ['-w'] }],
  ['smbclient rpcclient smbget winexe smbmap enum4linux', domain],
  ['evil-winrm crackmapexec netexec nxc', winrm],
  ['sqlcmd bcp isql tsql sqsh', { secret: ['-P'], glued: ['-P'] }],
  ['psql clickhouse-client clickhouse snowsql cqlsh influx trino vsql', { secret: ['--password'] }],
  ['zip unzip 7za', zip],
  ['7z 7za 7zz 7zr unrar rar', { glued: ['-p', '-hp'] }],
  ['openssl', { secret: ['-passin', '-passout', '-k', '-K', '-pass', '-password'] }],
  ['gpg gpg2', { secret: ['--passphrase'] }],
  ['keytool jarsigner', { secret: ['-storepass', '-keypass', '-srcstorepass', '-deststorepass'] }],
  ['htpasswd', { positional: -1, words: ['-b'] }],
  ['htpasswd', { positional: -1, words: ['-cb'] }],
  ['htpasswd', { positional: -1, words: ['-bc'] }],
  ['htpasswd', { positional: -1, words: ['-nb'] }],
  ['htpasswd', { positional: -1, words: ['-nbb'] }],
  ['rabbitmqctl', { words: ['add_user'], positional: 1 }],
  ['rabbitmqctl', { words: ['change_password'], positional: 1 }],
  ['aws', { words: ['configure', 'set', 'aws_secret_access_key'], positional: 0 }],
  ['aws', { words: ['configure', 'set', 'aws_session_token'], positional: 0 }],
  ['aws', { secret: ['--secret-string', '--master-user-password', '--password', '--secret-access-key'] }],
  ['az', { secret: ['--password', '--account-key', '--sas-token', '--admin-password', '--client-secret'] }],
  ['az', { words: ['login'], secret: ['-p'] }],
  ['cqlsh influx', { secret: ['-p'] }],
  ['gcloud', { secret: ['--password', '--root-password'] }],
  ['vault bao', { words: ['login'], positional: 0 }],
  ['vault bao', { words: ['operator', 'unseal'], positional: 0 }],
  ['wandb', { words: ['login'], positional: 0 }],
  ['wandb', { words: ['login', '--relogin'], positional: 0 }],
  ['huggingface-cli hf', { secret: ['--token'] }],
  ['huggingface-cli', { words: ['login'], positional: 0 }],
  ['kaggle comet neptune', { secret: ['--token', '--api-key'] }],
  ['npm pnpm yarn', { secret: ['--otp'] }],
  ['twine', { secret: ['-p', '--password'] }],
  ['svn hg', { secret: ['--password'] }],
  ['lftp', { pair: ['-u', '--user'], separator: ',' }],
  ['ncftp', { secret: ['-p'] }],
  ['xfreerdp xfreerdp3 wfreerdp', { secret: ['/p:', '-p'] }],
  ['rdesktop', { secret: ['-p'] }],
  ['cmdkey', { secret: ['/pass:'] }],
  ['net', { words: ['user'], positional: 1 }],
  ['net', { words: ['use'], positional: -1 }],
  ['schtasks runas psexec', { secret: ['/rp', '-p', '/p'] }],
  ['ansible ansible-playbook', { secret: ['--vault-password'] }],
  ['hydra medusa', { secret: ['-p'] }],
  ['nmcli', { words: ['device', 'wifi', 'connect'], positional: 2 }],
  ['nmcli', { words: ['dev', 'wifi', 'connect'], positional: 2 }],
  ['wpa_passphrase', { positional: 1 }],
  ['usermod useradd', { secret: ['-p', '--password'] }],
  ['restic borg rclone rclone.exe', { secret: ['--password', '--sftp-pass', '--http-pass'] }],
  ['kubectl oc', { secret: ['--token', '--password'] }],
  ['argocd', { words: ['login'], secret: ['--password'] }],
  ['heroku flyctl fly railway vercel netlify doctl linode-cli', { secret: ['--token', '--auth', '--access-token'] }],
  ['doctl', { words: ['auth', 'init'], secret: ['-t', '--access-token'] }],
  ['ngrok', { words: ['authtoken'], positional: 0 }],
  ['ngrok', { words: ['config', 'add-authtoken'], positional: 0 }],
  ['cloudflared', { secret: ['--token'] }],
  ['tailscale', { secret: ['--authkey', '--auth-key'] }],
  ['snyk', { words: ['auth'], positional: 0 }],
  ['sentry-cli stripe gh glab', { secret: ['--auth-token', '--api-key', '--token'] }],
  ['gh', { words: ['secret', 'set'], secret: ['--body', '-b'] }],
  ['ssh-keygen', { secret: ['-N', '-P'] }],
  ['op', { secret: ['--password'] }],
  ['ipmitool', { secret: ['-P'] }],
  ['snmpwalk snmpget', { secret: ['-A', '-X'] }],
  ['vncviewer x11vnc', { secret: ['-passwd'] }],
  ['pg_dump pg_restore createuser', { secret: ['--password'] }],
  ['dotnet nuget', { secret: ['--api-key', '-ApiKey', '-Password', '--password'] }],
  ['cargo', { words: ['login'], positional: 0 }],
  ['gem', { secret: ['--otp'] }],
];

/** By the name of the program. */
export const COMMANDS: ReadonlyMap<string, readonly Command[]> = (() => {
  const commands = new Map<string, Command[]>();
  for (const [programs, command] of TABLE) {
    for (const program of programs.split(' ')) commands.set(program, [...(commands.get(program) ?? []), command]);
  }
  return commands;
})();
