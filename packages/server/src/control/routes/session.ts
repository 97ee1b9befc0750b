import { sessionSchemas } from '@lachesis/protocol';
import { readCredential } from '../../http/access/read-credential.ts';
import type { Sessions } from '../../http/access/sessions.ts';
import { defineRoute } from '../../http/define-route.ts';
import type { Route } from '../../http/route.ts';

/** How the page gets in, and what it may do. */
export function createSessionRoutes(sessions: Sessions): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/session/code',
      scope: 'view',
      summary:
        'A code that opens one session of the page, with what its maker may do. It is good once, for ten minutes.',
      reply: sessionSchemas.code,
      handle: ({ principal }) => sessions.makeCode(principal),
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/session',
      scope: 'public',
      summary: 'Trade a code for the token of a session. It ends after an hour, unless it is used.',
      reply: sessionSchemas.opened,
      // As a credential is sent: bodies of strangers are not read.
      handle: ({ request }) => sessions.open(readCredential(request.headers.authorization)),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/session',
      scope: 'view',
      audit: 'none',
      summary: 'Who is asking, and what they may do.',
      reply: sessionSchemas.own,
      handle: ({ principal }) => sessions.describe(principal),
    }),
  ];
}
