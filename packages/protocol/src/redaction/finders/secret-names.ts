/** Names whose value is a secret whatever it looks like; written without separators and in lower case. */
const SECRET_ENDINGS = [
  'apikey',
  'secret',
  'secretkey',
  'password',
  'passwd',
  'passphrase',
  'passcode',
  'accesstoken',
  'authtoken',
  'refreshtoken',
  'bearertoken',
  'idtoken',
  'sessiontoken',
  'securitytoken',
  'csrftoken',
  'bottoken',
  'apitoken',
  'usertoken',
  'deploytoken',
  'privatekey',
  'accesskey',
  'accountkey',
  'sharedkey',
  'signingkey',
  'encryptionkey',
  'masterkey',
  'servicekey',
  'licensekey',
  'authorization',
  'cookie',
  'connectionstring',
  'passwort',
  'kennwort',
  'contraseña',
  'contrasena',
  'motdepasse',
  'wachtwoord',
  'keydata',
  'storepass',
  'keypass',
  'bindpw',
  'rootpw',
  'sudopass',
  'becomepass',
  'requirepass',
  'masterauth',
  'mnemonic',
  'recoverykey',
  'recoverycode',
  'unsealkey',
  'signingsecret',
  'webhooksecret',
  'authkey',
  'apppassword',
  'encryptedpassword',
  'ansiblesshpass',
  'sastoken',
  'presharedkey',
  'wpapsk',
  'secretkeybase',
  'secrethash',
] as const;

/** Ordinary words as well as names of secrets: the value has to look like one. `token` is a piece of text elsewhere. */
const DOUBTFUL_ENDINGS = [
  'token',
  'key',
  'pwd',
  'pass',
  'auth',
  'credential',
  'credentials',
  'signature',
  'sig',
  'jwt',
  'dsn',
  'pw',
  'psk',
  'otp',
  'sid',
  'session',
  'sessionid',
  'sessid',
  'phpsessid',
  'jsessionid',
  'csrf',
  'xsrf',
  'sas',
  'hmac',
  'seed',
  'webhook',
  'pat',
  'creds',
  'code',
  'assertion',
  'pin',
  'salt',
] as const;

export type NameVerdict = 'secret' | 'doubtful' | 'plain';

/** Longer than any name; a text this long under our eyes is no name. */
const LONGEST_NAME = 120;

const verdicts = new Map<string, NameVerdict>();

/** Names come from records of strangers, so that the memory of them has an end. */
const REMEMBERED_NAMES = 2_000;

/** What the name of a field says about its value: `x-api-key` and `clientSecret` are secrets, `key` may be one. */
export function judgeName(name: string): NameVerdict {
  const known = verdicts.get(name);
  if (known !== undefined) return known;
  const verdict = judge(name);
  if (verdicts.size >= REMEMBERED_NAMES) verdicts.clear();
  if (name.length <= LONGEST_NAME) verdicts.set(name, verdict);
  return verdict;
}

function judge(name: string): NameVerdict {
  if (name.length > LONGEST_NAME) return 'plain';
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9ñ]/g, '');
  // A public key is there to be shown, and `password_hint: none` names no password.
  if (plain.includes('public')) return 'plain';
  if (SECRET_ENDINGS.some((ending) => plain.endsWith(ending))) return 'secret';
  return DOUBTFUL_ENDINGS.some((ending) => isLastWord(name, plain, ending)) ? 'doubtful' : 'plain';
}

/** `github_token` and `githubToken` end in the word; `monkey` only ends in its letters. */
function isLastWord(name: string, plain: string, word: string): boolean {
  if (plain === word) return true;
  if (!plain.endsWith(word)) return false;
  const at = name.length - word.length;
  const first = name[at] ?? '';
  const before = name[at - 1] ?? '';
  return /[^A-Za-z0-9]/.test(before) || (first >= 'A' && first <= 'Z' && before >= 'a' && before <= 'z');
}

/** Whether a name that ends in these two letters can be one of a secret: most are passed over by this one look. */
export const mayEndSecretName = (beforeLast: number, last: number): boolean =>
  last > 127 || ENDS[((beforeLast | 32) & 127) * 128 + ((last | 32) & 127)] === 1;

const ENDS = new Uint8Array(128 * 128);
for (const ending of [...SECRET_ENDINGS, ...DOUBTFUL_ENDINGS]) {
  ENDS[((ending.charCodeAt(ending.length - 2) | 32) & 127) * 128 + (ending.charCodeAt(ending.length - 1) & 127)] = 1;
}
