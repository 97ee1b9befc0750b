import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { fileURLToPath } from 'node:url';

import { startProcess } from '../../kit/start-process.ts';

const CLI = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));
const READY_MS = 30_000;

export type McpTransportName = 'stdio' | 'http';

/** The official client, connected to `lachesis mcp` as a person starts it. */
export interface McpConnection extends AsyncDisposable {
  readonly client: Client;
}

export interface ConnectMcpOptions {
  /** Of the control server. */
  readonly url: string;
  readonly token?: string | undefined;
  readonly cwd: string;
}

export async function connectMcp(name: McpTransportName, options: ConnectMcpOptions): Promise<McpConnection> {
  return name === 'stdio' ? connectStdio(options) : connectHttp(options);
}

const argumentsOf = ({ url }: ConnectMcpOptions): string[] => [
  '--conditions=lachesis-source',
  CLI,
  'mcp',
  '--server',
  url,
];

const createClient = (): Client => new Client({ name: 'conformance', version: '1.0.0' });

async function connectStdio(options: ConnectMcpOptions): Promise<McpConnection> {
  const client = createClient();
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: argumentsOf(options),
      cwd: options.cwd,
      stderr: 'ignore',
      env: { PATH: process.env['PATH'] ?? '', ...tokenOf(options) },
    }),
  );
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

async function connectHttp(options: ConnectMcpOptions): Promise<McpConnection> {
  const ready = Promise.withResolvers<string>();
  const serving = await startProcess({
    command: process.execPath,
    args: [...argumentsOf(options), '--http', '--port', '0', '--json'],
    name: 'lachesis mcp --http',
    cwd: options.cwd,
    env: { ...tokenOf(options), LACHESIS_MCP_TOKEN: 'of-the-test' },
    onLine: (line) => ready.resolve((JSON.parse(line) as { url: string }).url),
  });
  const client = createClient();
  try {
    const timer = setTimeout(() => ready.reject(new Error(`it is not ready:\n${serving.logs()}`)), READY_MS);
    void serving.exited.then(() => ready.reject(new Error(`it ended:\n${serving.logs()}`)));
    const url = await ready.promise.finally(() => clearTimeout(timer));
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: { authorization: 'Bearer of-the-test' } },
      }),
    );
  } catch (error) {
    await serving.stop();
    throw error;
  }
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await serving.stop();
    },
  };
}

const tokenOf = ({ token }: ConnectMcpOptions): Record<string, string> =>
  token === undefined ? {} : { LACHESIS_TOKEN: token };
