import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface Refusal {
  status: 401 | 403;
  message: string;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Why a request is not served. Without a token only programs on this machine may ask, and a page in a browser on it is
 * not one of them: it could reach us under a name of its own, so Host and Origin must both be this machine.
 */
export function findRefusal(
  headers: IncomingHttpHeaders,
  { accessToken }: { accessToken: string | undefined },
): Refusal | undefined {
  if (accessToken !== undefined) {
    const given = /^Bearer (?<token>.+)$/i.exec(headers.authorization ?? '')?.groups?.['token'];
    return given !== undefined && isSame(given, accessToken)
      ? undefined
      : { status: 401, message: 'Send the token of this server as Authorization: Bearer.' };
  }
  if (!isLoopback(`http://${headers.host ?? ''}`)) {
    return { status: 403, message: 'Ask for it as localhost, or start it with an access token.' };
  }
  if (headers.origin !== undefined && !isLoopback(headers.origin)) {
    return { status: 403, message: 'Pages of other origins are not served without an access token.' };
  }
  return undefined;
}

function isLoopback(address: string): boolean {
  return URL.canParse(address) && LOOPBACK.has(new URL(address).hostname);
}

/** In the same time, however much of it is right. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
