import { LachesisError } from '@lachesis/protocol';
import { Authenticator, checkBrowser, findCredential, LOOPBACK_HOSTS, OpenReplies } from '@lachesis/server/access';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { McpAccess } from '../../mcp/create-mcp-handler.ts';

type Principal = Awaited<ReturnType<Authenticator['authenticate']>>;

export interface McpAccessOptions {
  /** Whose tokens are good here. */
  controlUrl: string;
  /** One token for everybody, instead of those of the control server. */
  accessToken: string | undefined;
  /** The address that is listened on. */
  host: string;
  fetch?: typeof fetch | undefined;
}

/** How old what is known of a token may be while a request of it is open. */
const OPEN_MS = 300;
const ANSWER_MS = 5_000;

/**
 * Who may use the tools over HTTP. Where the control server asks for a token, so do we: the caller's own, which is shown to the
 * control server and acts for them. Without one only programs on this machine may ask, and no page in a browser.
 */
export function createMcpAccess(options: McpAccessOptions): McpAccess & Disposable {
  const { accessToken, host } = options;
  const rules = { allowedHosts: new Set([...LOOPBACK_HOSTS, host.toLowerCase()]), allowedOrigins: new Set<string>() };
  const replies = new OpenReplies();
  replies.start();
  const authenticator = new Authenticator({
    directory: {
      find: async (token) => ((await isKnown(options, token)) ? strangerWith(token) : null),
      count: async () => ((await isKnown(options, undefined)) ? 0 : 1),
    },
  });
  return {
    async admit({ headers }: IncomingMessage, { isOpen = false } = {}) {
      const { text } = findCredential({ headers, pathKey: undefined, hasProvider: false });
      if (accessToken !== undefined) {
        if (text !== null && isSame(text, accessToken)) return { owner: null, token: undefined };
        throw unauthorized('this MCP server needs the token that it was started with');
      }
      if (text === null) checkBrowser(headers, rules);
      const { tokenId } = await authenticator.authenticate(text, isOpen ? OPEN_MS : undefined);
      return { owner: tokenId, token: text ?? undefined };
    },
    watch: (response, check) => replies.add(response, check),
    [Symbol.dispose]: () => replies.stop(),
  };
}

/** Whether the control server takes the token, or nobody's. What the token may do there is judged there, call by call. */
async function isKnown(
  { controlUrl, fetch: send = fetch }: McpAccessOptions,
  token: string | undefined,
): Promise<boolean> {
  let response: Response;
  try {
    response = await send(`${controlUrl.replace(/\/+$/, '')}/runs?limit=1`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    await response.arrayBuffer();
  } catch (cause) {
    throw unavailable(controlUrl, cause);
  }
  if (response.status >= 500) throw unavailable(controlUrl, undefined);
  return response.status !== 401;
}

/** Known by the digest of what they showed; nothing here needs more. */
const strangerWith = (token: string): Principal => ({
  ...{ tenantId: '', scopes: [], run: null },
  tokenId: createHash('sha256').update(token).digest('hex'),
});

const unauthorized = (message: string): LachesisError =>
  new LachesisError({ code: 'unauthorized', message, hint: 'Send it as `Authorization: Bearer <token>`.' });

const unavailable = (url: string, cause: unknown): LachesisError =>
  new LachesisError({
    code: 'unavailable',
    message: `the control server at ${url}, which knows the tokens, does not answer`,
    hint: '`lachesis up` starts it; --server names another.',
    cause,
  });

/** In the same time, however much of it is right. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
