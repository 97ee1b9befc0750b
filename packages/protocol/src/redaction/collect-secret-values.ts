/** The last word of a variable's name that makes its value one to hide. */
const LAST_WORDS = new Set([
  'KEY',
  'APIKEY',
  'TOKEN',
  'PAT',
  'PASS',
  'PASSWD',
  'PWD',
  'AUTH',
  'JWT',
  'COOKIE',
  'DSN',
  'SIGNATURE',
]);

/** Words that do so anywhere in it. */
const WORDS = new Set(['SECRET', 'SECRETS', 'PASSWORD', 'PASSPHRASE', 'CREDENTIAL', 'CREDENTIALS', 'APIKEY']);

const SHORTEST_VALUE = 8;

/** A value of letters alone may be a word that is said in every other message: `POSTGRES_PASSWORD=postgres`. */
const SHORTEST_WORD = 16;

/** The values of variables whose name says that they are secret, and the passwords in addresses. */
export function collectSecretValues(env: Readonly<Record<string, string | undefined>>): string[] {
  const values = new Set<string>();
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (isSecretVariable(name) && isDistinct(value)) values.add(value);
    const password = /^[a-z][a-z0-9+.-]*:\/\/[^\s:@/]*:([^\s@/]+)@/i.exec(value)?.[1];
    if (password !== undefined && isDistinct(password)) values.add(password);
  }
  return [...values];
}

function isSecretVariable(name: string): boolean {
  // The shell's own working directories.
  if (name === 'PWD' || name === 'OLDPWD') return false;
  const words = name.toUpperCase().split(/[^A-Z0-9]+/);
  if (words.includes('PUBLIC') || words.at(-1) === 'FILE' || words.at(-1) === 'PATH') return false;
  return LAST_WORDS.has(words.at(-1) ?? '') || words.some((word) => WORDS.has(word));
}

function isDistinct(value: string): boolean {
  if (value.length < SHORTEST_VALUE || /^(?:[./~]|[A-Za-z]:\\)/.test(value)) return false;
  return !/^[A-Za-z]+$/.test(value) || value.length >= SHORTEST_WORD;
}
