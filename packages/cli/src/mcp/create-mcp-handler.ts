import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { findRefusal } from './find-refusal.ts';

export interface McpHandlerOptions {
  /** A server for each session: the limit on status checks is an agent's own. */
  createServer(): McpServer;
  /** Asked of every request when given. */
  accessToken?: string | undefined;
  /** A name nobody guesses. */
  createSessionId(): string;
  /** Milliseconds that only go forward. */
  now(): number;
  /** Sessions kept at once; default 100. */
  maxSessions?: number | undefined;
}

export interface McpHandler {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Ends all sessions. */
  close(): Promise<void>;
}

interface Session {
  server: McpServer;
  transport: StreamableHTTPServerTransport;
  /** Requests and streams that are open. */
  open: number;
  usedAt: number;
}

const MAX_SESSIONS = 100;
/** Most clients leave without a word; one that comes back later begins a session again. */
const IDLE_MS = 60 * 60_000;
const PATH = '/mcp';

/** Streamable HTTP: one path, one session for each client. */
export function createMcpHandler(options: McpHandlerOptions): McpHandler {
  const { createServer, accessToken, createSessionId, now, maxSessions = MAX_SESSIONS } = options;
  const sessions = new Map<string, Session>();
  let beginning = 0;

  const endIdle = async (): Promise<void> => {
    const idle = [...sessions].filter(([, { open, usedAt }]) => open === 0 && now() - usedAt > IDLE_MS);
    for (const [id] of idle) sessions.delete(id);
    await Promise.allSettled(idle.map(([, { server }]) => server.close()));
  };

  const begin = async (): Promise<Session> => {
    const server = createServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: createSessionId,
      onsessioninitialized: (id) => {
        sessions.set(id, session);
      },
      onsessionclosed: (id) => {
        sessions.delete(id);
      },
    });
    const session: Session = { server, transport, open: 0, usedAt: now() };
    await server.connect(transport);
    return session;
  };

  const serve = async (session: Session, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    session.open += 1;
    response.once('close', () => {
      session.open -= 1;
      session.usedAt = now();
    });
    await session.transport.handleRequest(request, response);
  };

  return {
    async handle(request, response) {
      if (new URL(request.url ?? '/', 'http://localhost').pathname !== PATH) {
        refuse(response, 404, `There is nothing here. The address ends in ${PATH}.`);
        return;
      }
      const refusal = findRefusal(request.headers, { accessToken });
      if (refusal !== undefined) {
        refuse(response, refusal.status, refusal.message);
        return;
      }
      const id = request.headers['mcp-session-id'];
      if (id !== undefined) {
        const session = sessions.get(String(id));
        if (session === undefined) refuse(response, 404, 'There is no such session. Begin again with initialize.');
        else await serve(session, request, response);
        return;
      }
      await endIdle();
      if (sessions.size + beginning >= maxSessions) {
        refuse(response, 503, `There are ${maxSessions} sessions already. End one, or come back later.`);
        return;
      }
      beginning += 1;
      try {
        const session = await begin();
        await serve(session, request, response);
        // Anything but initialize was refused by the transport, and leaves no session behind.
        if (session.transport.sessionId === undefined) await session.server.close();
      } finally {
        beginning -= 1;
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
