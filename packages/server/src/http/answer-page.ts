import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BrowserRules } from './access/check-browser.ts';

/** How long a browser may remember that a page may call. */
const REMEMBER_SECONDS = 600;
const METHODS = 'GET, POST, PUT, DELETE';

/**
 * Tells the browser of an allowed page that it may read our replies, and answers what it asks beforehand. True when the
 * question was all there is to answer. Pages of other origins never come here: `checkBrowser` refuses them.
 */
export function answerPage(request: FastifyRequest, reply: FastifyReply, rules: BrowserRules): boolean {
  if (rules.allowedOrigins.size === 0) return false;
  reply.header('vary', 'Origin');
  const { origin } = request.headers;
  if (origin === undefined) return false;
  reply.header('access-control-allow-origin', origin);
  reply.header('access-control-expose-headers', '*');
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return false;
  reply.header('access-control-allow-methods', METHODS);
  reply.header('access-control-max-age', String(REMEMBER_SECONDS));
  const asked = request.headers['access-control-request-headers'];
  // The page is trusted with a token; which other headers its client library sends is not for us to list.
  if (asked !== undefined) reply.header('access-control-allow-headers', asked);
  reply.code(204);
  return true;
}
