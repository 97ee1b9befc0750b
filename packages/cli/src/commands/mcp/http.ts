import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer, type Server } from 'node:http';
import { fail } from '../../terminal/fail.ts';
import { createMcpHandler, type McpHandlerOptions } from '../../mcp/create-mcp-handler.ts';
import { createMcpAccess } from './access.ts';

export interface ServeMcpHttpOptions extends Pick<McpHandlerOptions, 'createServer'> {
  /** Whose tokens callers show, where no access token is given. */
  controlUrl: string;
  accessToken?: string | undefined;
  host: string;
  port: number;
  /** Ends it. */
  signal: AbortSignal;
  onReady(url: string): void;
}

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Listens until the signal ends it. */
export async function serveMcpHttp(options: ServeMcpHttpOptions): Promise<void> {
  const { createServer, controlUrl, accessToken, host, port, signal, onReady } = options;
  if (accessToken === undefined && !LOOPBACK.has(host)) {
    fail(
      `refusing to listen on ${host} without an access token: whoever reaches it could start and stop runs. Set LACHESIS_MCP_TOKEN, or listen on 127.0.0.1.`,
    );
  }
  using access = createMcpAccess({ controlUrl, accessToken, host });
  const handler = createMcpHandler({
    createServer,
    access,
    createSessionId: randomUUID,
    now: () => performance.now(),
  });
  const server = createHttpServer((request, response) => {
    handler.handle(request, response).catch((error: unknown) => {
      process.stderr.write(`lachesis: a request failed: ${error instanceof Error ? error.message : String(error)}\n`);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await listen(server, host, port);
  const address = server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  onReady(`http://${host.includes(':') ? `[${host}]` : host}:${taken}/mcp`);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await handler.close();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      fail(
        error.code === 'EADDRINUSE'
          ? `port ${port} on ${host} is taken. Stop the program that listens there, or choose another with --port.`
          : `${host}:${port} cannot be listened on: ${error.message}`,
      );
    });
    server.listen({ host, port }, resolve);
  });
}
