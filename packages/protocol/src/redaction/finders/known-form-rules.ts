import type { WordRule } from './find-by-word.ts';
import { isPlaceholder, isStandIn, rateOfChange } from './looks-like-secret.ts';
import { isMark } from '../span.ts';

/** A header that holds a credential: a digit, a pair or a scheme in it. A page about headers says `Authorization: required`. */
const isHeaderValue = (value: string): boolean =>
  !/^\[redacted|^[$<{*]|^\w+ +[$<{*]|^\w+[(.]/.test(value) && /\d/.test(value);

const isCookieValue = (value: string): boolean =>
  !/^\[redacted|^[$<{*]/.test(value) && /^[\w.-]+=[^\s;]/.test(value) && !/^[\w.-]+=[$<{*[]/.test(value);

const isSchemeValue = (value: string): boolean => /\d/.test(value) || rateOfChange(value) > 0.3;

/** What stands where a password would, and is not the word for it. */
const isGiven = (value: string): boolean =>
  value.length >= 3 && !isPlaceholder(value) && !isStandIn(value) && !isMark(value);

/** A password in a sentence: a digit or a sign that words have not. */
const isSpoken = (value: string): boolean =>
  isGiven(value) &&
  value.length >= 5 &&
  /[A-Za-z!@#$%^&*]/.test(value) &&
  /\d|[a-z][!@#$%^&*][A-Za-z0-9]/.test(value) &&
  !/^(?:https?|ftp):|^[\w.-]+\(|^\d+(?:\.\d+)*[a-z]{0,3}$|^[\w-]+\.(?:[a-z]{2,5}|\d+)$|^v\d/i.test(value) &&
  !/^(?:sha|md|base|utf|rfc|iso|aes|rsa|oauth|x|v|http|bcrypt|argon|scrypt)-?\d+/i.test(value);

/** The value of a sentence, up to its stop. */
const SPOKEN = '["\'`“«]{0,2}([^\\s"\'`“”«»,;<>()[\\]{}]{4,200}?)(?=["\'`”»]|[.,;!?)\\]]{0,2}(?:\\s|$|\\\\))';

const WORDS_FOR_SECRET =
  '(?:passwords?|passwd|passphrase|passcode|passwort|kennwort|contrase(?:ñ|n)a|mot de passe|wachtwoord|api[ -]?keys?|secret(?: (?:access )?key)?|access key|access token|auth token|token|credentials?|pin|psk)';

/** Signed and unsigned forms that begin with a word. */
export const knownFormRules: readonly WordRule[] = [
  {
    starts: ['authorization'],
    pattern:
      /authorization["'\\]{0,4}\s{0,4}[:=]\s{0,4}["'\\]{0,4}((?:[A-Za-z-]{2,20}[ \t]{1,4})?[^\s"'\\,;]{6,4000})/iy,
    kind: 'authorization',
    accept: isHeaderValue,
  },
  {
    starts: ['cookie', 'set-cookie'],
    pattern: /(?:set-)?cookie2?["'\\]{0,4}[ \t]{0,4}:[ \t]{0,4}["'\\]{0,4}([^\r\n"'\\]{6,4000})/iy,
    kind: 'authorization',
    accept: isCookieValue,
  },
  {
    starts: ['bearer ', 'basic ', 'token ', 'negotiate ', 'apikey ', 'splunk ', 'sso-key '],
    pattern:
      /(?:bearer|basic|token|negotiate|apikey|splunk|sso-key)[ \t]{1,4}["'\\]{0,3}([A-Za-z0-9._~+/=:-]{12,4000})/iy,
    kind: 'authorization',
    accept: isSchemeValue,
  },
  {
    // .netrc, in one line or several.
    starts: ['machine ', 'default ', 'login '],
    pattern:
      /(?:machine\s{1,20}[^\s"'\\]{1,200}(?:\s|\\n){1,20}|default\s{1,20})?login\s{1,20}[^\s"'\\]{1,200}(?:\s|\\n){1,20}(?:account\s{1,20}[^\s"'\\]{1,200}(?:\s|\\n){1,20})?passw(?:or)?d\s{1,20}([^\s"'\\]{1,200})/iy,
    kind: 'password',
    accept: isGiven,
  },
  {
    starts: ['identified '],
    pattern:
      /identified\s{1,4}(?:with\s{1,4}\S{1,40}\s{1,4})?(?:by|as)\s{1,4}(?:password\s{1,4})?\\{0,3}['"]([^'"\\]{3,200})/iy,
    kind: 'password',
    accept: isGiven,
  },
  {
    // SQL: `WITH PASSWORD '…'`, `PASSWORD = N'…'`, `PASSWORD('…')`; redis: `requirepass …`.
    starts: ['password'],
    pattern: /password(?:\s{1,4}|\s{0,4}[=(]\s{0,4})N?\\{0,3}'([^'\\\n]{3,200})\\{0,3}'/iy,
    kind: 'password',
    accept: isGiven,
  },
  {
    starts: ['storePassword', 'keyPassword'],
    pattern: /(?:store|key)Password[ \t(]{1,4}["']([^"'\\\n]{4,200})/y,
    kind: 'password',
    accept: isGiven,
  },
  {
    // `config set … token X`, `setx API_TOKEN X`.
    starts: ['set ', 'setx '],
    pattern:
      /setx?[ \t]{1,4}[^\s"'\\]{0,80}(?:token|key|password|secret|auth)[ \t]{1,4}\\{0,3}["']?([^\s"'\\]{6,200})/iy,
    kind: 'password',
    accept: isSpoken,
  },
  {
    starts: ['requirepass ', 'masterauth '],
    pattern: /(?:requirepass|masterauth)[ \t]{1,8}"?([^\s"'\\]{4,200})/iy,
    kind: 'password',
    accept: isGiven,
  },
  {
    starts: ['AUTH '],
    pattern: /AUTH[ \t]{1,4}(?:\w{1,40}[ \t]{1,4})?"?([^\s"'\\]{6,200})/y,
    kind: 'password',
    accept: isSpoken,
  },
  {
    // OpenSSL and others: `pass:…`.
    starts: ['pass:'],
    pattern: /pass:([^\s"'\\;|&]{4,200})/y,
    kind: 'password',
    accept: (value) => isGiven(value) && !/^[=:]/.test(value),
  },
  {
    // `echo … | sudo -S`, `echo user:… | chpasswd`, `echo … | docker login --password-stdin`.
    starts: ['echo ', 'printf '],
    pattern:
      /(?:echo|printf)(?:[ \t]{1,4}-[neE]{1,2})?[ \t]{1,4}(?:\\{0,3}["'])?(?:[a-z_][\w.-]{0,31}:(?=[^\s"'|]{3,200}(?:\\{0,3}["'])?[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t]{1,4})?chpasswd))?([^\s"'|\\]{3,200})(?:\\n)?(?:\\{0,3}["'])?[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t]{1,4}(?:-\w{1,8}[ \t]{1,4}){0,3}-\w{0,6}S|(?:sudo[ \t]{1,4})?chpasswd|(?:docker|podman|helm registry|nerdctl|gh auth|glab auth|crane auth|oras|npm|vault|huggingface-cli|cryptsetup|kinit|passwd|su|gpg|openssl)[^\n|;]{0,200})/iy,
    kind: 'password',
    accept: (value) => isGiven(value) && !value.startsWith('/'),
  },
  {
    starts: ['<<<'],
    pattern: /<<<[ \t]{0,4}(?:\\{0,3}["'])?([^\s"'\\]{6,200})/y,
    kind: 'password',
    accept: isSpoken,
  },
  {
    starts: ['ConvertTo-SecureString '],
    pattern: /ConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?(?:-AsPlainText\s{1,4})?\\{0,3}["']([^"'\\\n]{3,200})/iy,
    kind: 'password',
    accept: isGiven,
  },
  {
    starts: ['NetworkCredential'],
    pattern:
      /NetworkCredential\s{0,4}\(\s{0,4}\\{0,3}["'][^"'\\\n]{1,100}\\{0,3}["']\s{0,4},\s{0,4}\\{0,3}["']([^"'\\\n]{3,200})/iy,
    kind: 'password',
    accept: isGiven,
  },
  {
    // Ansible's and expect's: `send "…\r"` after a prompt for it.
    starts: ['assword'],
    pattern: /assword[^\n]{0,20}["'}]\s{1,8}(?:\{?\s{0,4})send(?:_user)?\s{1,4}(?:--\s{1,4})?["']([^"'\\\n]{3,200})/iy,
    kind: 'password',
    accept: isGiven,
  },
  {
    // Two arguments of a login: `login("me", "…")`, `auth=("me", "…")`, `HTTPBasicAuth('me', '…')`.
    starts: ['login', 'auth', 'HTTPBasicAuth', 'HTTPDigestAuth', 'basic_auth', 'basicAuth', 'http_auth'],
    pattern:
      /(?:login|auth|HTTPBasicAuth|HTTPDigestAuth|basic_?auth|authenticate|BasicAuth|http_auth)\s{0,4}[=:]?\s{0,4}[([]\s{0,8}\\{0,3}["'][^"'\\\n]{1,100}\\{0,3}["']\s{0,4},\s{0,8}\\{0,3}["']([^"'\\\n]{3,200})\\{0,3}["']/iy,
    kind: 'password',
    accept: (value) => isGiven(value) && !/\s/.test(value) && /[\d!@#$%^&*]/.test(value),
  },
  {
    // Said: `the password is …`, `password for root: …`, `use the token … to`.
    starts: [
      'password ',
      'passwords ',
      'passwd ',
      'passphrase ',
      'passcode ',
      'passwort ',
      'kennwort ',
      'contrase',
      'mot de passe ',
      'wachtwoord ',
      'apikey ',
      'apikeys ',
      'api key ',
      'api keys ',
      'api-key ',
      'api-keys ',
      'secret ',
      'access key ',
      'access token ',
      'auth token ',
      'token ',
      'credential ',
      'credentials ',
      'pin ',
      'psk ',
    ],
    pattern: new RegExp(
      `${WORDS_FOR_SECRET}(?:\\s{1,2}(?:for|of|to|on|für|von|pour|para|de)\\s{1,2}(?:[\\w@.'-]{1,40}\\s{1,2}){0,3}?[\\w@.'-]{1,40})?(?:\\s{1,2}(?:is|was|are|ist|lautet|es|est|set to|will be|should be|has been set to|is set to|is now|to|being|changed to|reads))\\s{1,3}(?:now |set to |still |just )?${SPOKEN}`,
      'iy',
    ),
    kind: 'password',
    accept: isSpoken,
  },
  {
    // In quotes a word is enough: `the password is "swordfish"`.
    starts: ['password ', 'passphrase ', 'passcode ', 'passwort ', 'kennwort '],
    pattern:
      /(?:password|passphrase|passcode|passwort|kennwort)(?:\s{1,2}(?:for|of|to|für)\s{1,2}[\w@.'-]{1,40})?\s{1,2}(?:is|was|ist|lautet|set to)\s{1,2}\\{0,3}(?:"([^"\\\s]{4,100})\\{0,3}"|'([^'\\\s]{4,100})\\{0,3}'|`([^`\\\s]{4,100})`)/iy,
    kind: 'password',
    accept: (value) => isGiven(value) && !/^[A-Z_]+$|^[a-z]+(?:_[a-z]+)+$/.test(value),
  },
  {
    // A password right after the word: `password S3cretPw99`, `with password S3cretPw99`.
    starts: [
      'password ',
      'passphrase ',
      'passcode ',
      'passwort ',
      'kennwort ',
      'secret ',
      'api key ',
      'api-key ',
      'pwd ',
      'pw ',
    ],
    pattern: new RegExp(
      `(?:password|passphrase|passcode|passwort|kennwort|pwd|pw|api[ -]key|(?:aws )?secret(?: access)?(?: key)?)\\s{1,2}${SPOKEN}`,
      'iy',
    ),
    kind: 'password',
    accept: (value) =>
      isSpoken(value) &&
      value.length >= 6 &&
      /[a-z]/i.test(value) &&
      /\d/.test(value) &&
      !/^[\w-]*[a-z]{3,}-\d+$|^[a-z]+\d$|=/i.test(value),
  },
  {
    // `admin / S3cretPw99`, `root:toor99` after the words that announce them.
    starts: ['credential', 'creds', 'login', 'log in', 'signin', 'sign in', 'account', 'username'],
    pattern:
      /(?:credentials?|creds|logins?|log ?in|sign ?in|account|username)(?:\s{1,2}(?:is|are|as|with|using|to|for|the|[\w.-]{1,30})){0,4}\s{0,2}[:=]?\s{1,2}["'`]?[\w.@-]{2,60}["'`]?(?:\s{0,2}[/:|]\s{0,2}|\s{1,2}(?:and|with|und|et|y)\s{1,2}(?:the\s)?(?:password\s)?)["'`]?([^\s"'`,;<>()[\]{}\\]{6,100})/iy,
    kind: 'password',
    accept: (value) =>
      isSpoken(value) && /[a-z]/i.test(value) && /\d/.test(value) && !value.includes('/') && rateOfChange(value) >= 0.2,
  },
  {
    // Hashes of passwords, as /etc/shadow and .htpasswd have them.
    starts: ['$1$', '$2a$', '$2b$', '$2y$', '$5$', '$6$', '$y$', '$apr1$', '$argon2', '$7$'],
    pattern:
      /\$(?:2[aby]\$\d\d\$[./A-Za-z0-9]{53}|(?:1|5|6|7|y|apr1)\$(?:[\w=,]{1,40}\$){0,2}[./A-Za-z0-9]{0,40}\$[./A-Za-z0-9]{20,100}|argon2(?:id|i|d)\$[^\s"'\\:]{30,300})/y,
    kind: 'password-hash',
  },
  {
    starts: ['{SSHA', '{SHA', '{MD5}', '{SMD5}', '{CRYPT}', '{PBKDF2'],
    pattern: /\{(?:SSHA\d{0,3}|SHA\d{0,3}|S?MD5|CRYPT|PBKDF2[\w-]{0,10})\}[A-Za-z0-9+/=$.]{20,200}/y,
    kind: 'password-hash',
  },
  {
    // A mnemonic of a wallet: twelve small words or more after what it is called.
    starts: ['seed', 'mnemonic', 'recovery'],
    pattern:
      /(?:seed|mnemonic|recovery)(?:[ _-](?:phrase|words))?["'\\]{0,3}\s{0,3}(?:is|[:=])\s{0,3}["'\\]{0,3}((?:[a-z]{3,8} ){11,23}[a-z]{3,8})/iy,
    kind: 'mnemonic',
  },
];
