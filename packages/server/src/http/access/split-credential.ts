import { TOKEN_PREFIX } from '@lachesis/protocol';

/** What a key for a trajectory may look like behind a token. */
const KEY = /^[A-Za-z0-9._:@/-]{1,200}$/;
const NAMED = 't:';

/** Whether a credential is for us: a token, or the name of a trajectory. Any other is the provider's. */
export const isOurCredential = (credential: string): boolean =>
  credential.startsWith(TOKEN_PREFIX) || credential.startsWith(NAMED);

/**
 * Takes a key for a trajectory out of an API key, for clients that can set nothing else: `<token>+<key>`, or `t:<key>`
 * where no token is needed. Our tokens have no plus sign, so the first one ends them. What is the provider's is left whole: no
 * part of it may become the name of anything.
 */
export function splitCredential(credential: string): { token: string; trajectory: string | undefined } {
  if (credential.startsWith(NAMED)) {
    const key = credential.slice(NAMED.length);
    return KEY.test(key) ? { token: '', trajectory: key } : { token: credential, trajectory: undefined };
  }
  const at = credential.startsWith(TOKEN_PREFIX) ? credential.indexOf('+') : -1;
  const key = at < 0 ? '' : credential.slice(at + 1);
  return KEY.test(key)
    ? { token: credential.slice(0, at), trajectory: key }
    : { token: credential, trajectory: undefined };
}
