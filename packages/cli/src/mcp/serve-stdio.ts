import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Readable, Writable } from 'node:stream';

export interface ServeStdioOptions {
  server: McpServer;
  input: Readable;
  output: Writable;
  /** Ends the conversation. */
  signal: AbortSignal;
}

/** Speaks with the one client at the other end of the pipes; resolves when either end is done. */
export async function serveStdio({ server, input, output, signal }: ServeStdioOptions): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    const end = (): void => resolve();
    input.once('end', end).once('close', end);
    // A client that is gone reads no answer.
    output.once('error', end);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
  await server.connect(new StdioServerTransport(input, output));
  await ended;
  await server.close();
}
