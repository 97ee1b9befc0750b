import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LachesisError } from '@lachesis/protocol';

/** Who asks. */
export interface McpCaller {
  /** Whose the sessions are; null where nobody is asked who they are, or all show the same token. */
  owner: string | null;
  /** What the caller showed for the control server: their sessions act with it, and with nothing of ours. */
  token: string | undefined;
}

/** Decides who may ask. */
export interface McpAccess {
  /** Throws a `LachesisError` for who may not. `isOpen`: the request is under way, and what is known may have changed. */
  admit(request: IncomingMessage, options?: { isOpen?: boolean }): Promise<McpCaller>;
  /** Ends a response when `check` comes to throw. */
  watch(response: ServerResponse, check: () => Promise<unknown>): void;
}

export interface McpHandlerOptions {
  /** A server for each session: the limit on status checks is an agent's own. */
  createServer(caller: McpCaller): McpServer;
  access: McpAccess;
  /** A name nobody guesses. */
  createSessionId(): string;
  /** Milliseconds that only go forward. */
  now(): number;
  /** Sessions kept at once; default 100. */
  maxSessions?: number | undefined;
  /** Sessions of one owner; default 20. */
  maxOwnerSessions?: number | undefined;
}

export interface McpHandler {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Ends all sessions. */
  close(): Promise<void>;
}

interface Session {
  owner: string | null;
  server: McpServer;
  transport: StreamableHTTPServerTransport;
  /** Requests and streams that are open. */
  open: number;
  usedAt: number;
}

const MAX_SESSIONS = 100;
/** One token must not take the places of all others. */
const MAX_OWNER_SESSIONS = 20;
/** Most clients leave without a word; one that comes back later begins a session again. */
const IDLE_MS = 60 * 60_000;
const PATH = '/mcp';

/** Streamable HTTP: one path, one session for each client. */
export function createMcpHandler(options: McpHandlerOptions): McpHandler {
  const { createServer, access, createSessionId, now } = options;
  const { maxSessions = MAX_SESSIONS, maxOwnerSessions = MAX_OWNER_SESSIONS } = options;
  const sessions = new Map<string, Session>();
  /** Whose sessions are being begun. */
  const beginning: (string | null)[] = [];

  const endSessions = async (isOver: (session: Session) => boolean): Promise<void> => {
    const over = [...sessions].filter(([, session]) => isOver(session));
    for (const [id] of over) sessions.delete(id);
    await Promise.allSettled(over.map(([, { server }]) => server.close()));
  };

  const begin = async (caller: McpCaller): Promise<Session> => {
    const server = createServer(caller);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: createSessionId,
      onsessioninitialized: (id) => {
        sessions.set(id, session);
      },
      onsessionclosed: (id) => {
        sessions.delete(id);
      },
    });
    const session: Session = { owner: caller.owner, server, transport, open: 0, usedAt: now() };
    await server.connect(transport);
    return session;
  };

  const serve = async (session: Session, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    session.open += 1;
    access.watch(response, async () => {
      try {
        await access.admit(request, { isOpen: true });
      } catch (error) {
        // The token has ended, and with it what was begun with it.
        if (LachesisError.isInstance(error) && error.code === 'unauthorized' && session.owner !== null)
          void endSessions(({ owner }) => owner === session.owner);
        throw error;
      }
    });
    response.once('close', () => {
      session.open -= 1;
      session.usedAt = now();
    });
    await session.transport.handleRequest(request, response);
  };

  return {
    async handle(request, response) {
      if ((request.url ?? '/').split('?', 1)[0] !== PATH) {
        refuse(response, 404, `There is nothing here. The address ends in ${PATH}.`);
        return;
      }
      let caller: McpCaller;
      try {
        caller = await access.admit(request);
      } catch (error) {
        if (!LachesisError.isInstance(error)) throw error;
        refuse(response, error.status, `${error.message}.${error.hint === undefined ? '' : ` ${error.hint}`}`);
        return;
      }
      const id = request.headers['mcp-session-id'];
      if (id !== undefined) {
        const session = sessions.get(String(id));
        // That of another owner is no session: its name must not be found by guessing.
        if (session === undefined || session.owner !== caller.owner)
          refuse(response, 404, 'There is no such session. Begin again with initialize.');
        else await serve(session, request, response);
        return;
      }
      await endSessions(({ open, usedAt }) => open === 0 && now() - usedAt > IDLE_MS);
      const taken = [...sessions.values()].map(({ owner }) => owner).concat(beginning);
      if (caller.owner !== null && taken.filter((owner) => owner === caller.owner).length >= maxOwnerSessions) {
        refuse(response, 429, `This token has ${maxOwnerSessions} sessions already. End one.`);
        return;
      }
      if (taken.length >= maxSessions) {
        refuse(response, 503, `There are ${maxSessions} sessions already. End one, or come back later.`);
        return;
      }
      beginning.push(caller.owner);
      try {
        const session = await begin(caller);
        await serve(session, request, response);
        // Anything but initialize was refused by the transport, and leaves no session behind.
        if (session.transport.sessionId === undefined) await session.server.close();
      } finally {
        beginning.splice(beginning.indexOf(caller.owner), 1);
      }
    },
    async close() {
      const all = [...sessions.values()];
      sessions.clear();
      await Promise.allSettled(all.map(({ server }) => server.close()));
    },
  };
}

/** In the shape that clients of JSON-RPC read. */
function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }));
}
