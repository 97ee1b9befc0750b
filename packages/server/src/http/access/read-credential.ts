/**
 * Finds the token in an Authorization header: `Bearer <token>`, or Basic with the token as the password, which is what
 * Python clients send for a base URL of the form `http://user:token@host`.
 */
export function readCredential(authorization: string | undefined): string | null {
  if (authorization === undefined) return null;
  const [scheme = '', value = ''] = authorization.trim().split(/\s+/, 2);
  if (scheme.toLowerCase() === 'bearer') return value === '' ? null : value;
  if (scheme.toLowerCase() !== 'basic') return null;
  const decoded = Buffer.from(value, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  const password = colon === -1 ? '' : decoded.slice(colon + 1);
  return password === '' ? null : password;
}
