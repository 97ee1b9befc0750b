/** What a key for a trajectory may look like behind a token. */
const KEY = /^[A-Za-z0-9._:@/-]{1,200}$/;

/**
 * Takes a key for a trajectory out of an API key, for clients that can set nothing else: `<token>+<key>`, or `t:<key>`
 * where no token is needed. Our tokens have no plus sign, so the first one ends them.
 */
export function splitCredential(credential: string): { token: string; trajectory: string | undefined } {
  if (credential.startsWith('t:')) {
    const key = credential.slice(2);
    return KEY.test(key) ? { token: '', trajectory: key } : { token: credential, trajectory: undefined };
  }
  const at = credential.indexOf('+');
  const key = at < 0 ? '' : credential.slice(at + 1);
  return KEY.test(key)
    ? { token: credential.slice(0, at), trajectory: key }
    : { token: credential, trajectory: undefined };
}
