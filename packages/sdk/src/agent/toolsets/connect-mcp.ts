import type { McpClient } from '../tools/create-mcp-tools.ts';
import type { McpServerSettings } from './tools-settings.ts';

const CONNECT_MS = 30_000;

export interface McpConnection {
  readonly client: McpClient;
  close(): Promise<void>;
}

export interface ConnectMcpOptions {
  readonly settings: McpServerSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asks a server at an address. */
  readonly fetch: typeof fetch;
}

/** An MCP server by the protocol's own client, which is loaded where one is configured. */
export async function connectMcp({ settings, env, fetch }: ConnectMcpOptions): Promise<McpConnection> {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js').catch((cause: unknown) => {
    throw new Error('the package @modelcontextprotocol/sdk is not there: npm install @modelcontextprotocol/sdk', {
      cause,
    });
  });
  const client = new Client({ name: 'lachesis', version: '1' });
  const transport = 'url' in settings ? await openHttp(settings, env, fetch) : await openProcess(settings, env);
  await client.connect(transport as Parameters<typeof client.connect>[0], { timeout: CONNECT_MS });
  return { client, close: () => client.close() };
}

async function openProcess(
  { command, args, pass_env: passed, cwd }: Extract<McpServerSettings, { command: string }>,
  env: ConnectMcpOptions['env'],
): Promise<unknown> {
  const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const given = Object.fromEntries(passed.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  return new StdioClientTransport({
    ...{ command, args, stderr: 'ignore', env: { ...getDefaultEnvironment(), ...given } },
    ...(cwd === undefined ? {} : { cwd }),
  });
}

async function openHttp(
  { url, api_key_env: name }: Extract<McpServerSettings, { url: string }>,
  env: ConnectMcpOptions['env'],
  fetch: typeof globalThis.fetch,
): Promise<unknown> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const key = name === undefined ? undefined : env[name];
  return new StreamableHTTPClientTransport(new URL(url), {
    fetch,
    ...(key === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${key}` } } }),
  });
}
