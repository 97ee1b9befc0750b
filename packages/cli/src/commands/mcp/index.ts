import { defineCommand } from 'citty';
import { VERSION } from '../../command-table.ts';
import { createSkillSource } from '../../agent/skills/skill.ts';
import { fail } from '../../terminal/fail.ts';
import { readServerVariable } from '../../flags/read-server-variable.ts';
import { readSettingFlags } from '../../flags/setting-flags.ts';
import type { createMcpServer } from '../../mcp/create-mcp-server.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { findTokenFor } from '../../flags/server-token.ts';

const DEFAULT_CONTROL_URL = 'http://localhost:8080';
const DEFAULT_HTTP_PORT = 8090;

const flags = {
  server: {
    type: 'string',
    description: `address of the control server (default: ${DEFAULT_CONTROL_URL}) [RL_API_URL]`,
  },
  token: {
    type: 'string',
    description: 'token for the control server (default: that of the home) [LACHESIS_TOKEN]',
  },
  http: { type: 'boolean', description: 'serve streamable HTTP on a port instead of standard input and output' },
  port: {
    type: 'string',
    description: `port, with --http; 0 takes a free one (default: ${DEFAULT_HTTP_PORT}) [LACHESIS_MCP_PORT]`,
  },
  host: { type: 'string', description: 'address to listen on, with --http (default: 127.0.0.1)' },
  'access-token': {
    type: 'string',
    description:
      'one token for all clients, with --http, instead of their own of the control server; needed for any address but this machine [LACHESIS_MCP_TOKEN]',
  },
  json: { type: 'boolean', description: 'with --http: print one JSON line when ready' },
} as const;

export const mcpCommand = defineCommand({
  meta: {
    name: 'mcp',
    description: 'Serve the ten training tools, logs, metrics and skills to agents over the Model Context Protocol.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    readSettingFlags({}, {}, rawArgs, Object.keys(flags));
    const { env } = process;
    const url = args.server ?? readVariable('RL_API_URL') ?? readServerVariable() ?? DEFAULT_CONTROL_URL;
    if (!URL.canParse(url))
      fail(`--server wants an address such as ${DEFAULT_CONTROL_URL}, and ${JSON.stringify(url)} was given.`);
    const ownToken = await findTokenFor(url, args);
    const { signal } = listenForShutdown();
    const { createServer, controlUrl } = await prepareServer(url);
    if (args.http !== true) {
      const { serveStdio } = await import('../../mcp/serve-stdio.ts');
      await serveStdio({ server: createServer(ownToken), input: process.stdin, output: process.stdout, signal });
      return;
    }
    const { serveMcpHttp } = await import('./http.ts');
    await serveMcpHttp({
      // What a caller showed acts for them; our own token is lent to nobody who did not show one of this server.
      createServer: ({ token }) => createServer(token ?? ownToken),
      controlUrl: url,
      host: args.host ?? '127.0.0.1',
      port: readPort(args.port ?? env['LACHESIS_MCP_PORT']),
      accessToken: args['access-token'] ?? readVariable('LACHESIS_MCP_TOKEN'),
      signal,
      onReady: (address) => {
        process.stdout.write(
          args.json === true
            ? `${JSON.stringify({ url: address, pid: process.pid, control_url: controlUrl })}\n`
            : `MCP on ${address}, for the control server at ${controlUrl}\n`,
        );
      },
    });
  },
});

/** Loaded here, so that `--help` does not wait for it. Each server has tools of its own: their limits are an agent's. */
async function prepareServer(url: string): Promise<{
  createServer: (token: string | undefined) => ReturnType<typeof createMcpServer>;
  /** As it may be printed. */
  controlUrl: string;
}> {
  const [{ createControlClient, createLibraryClient, createRlTools }, module] = await Promise.all([
    import('@lachesis/sdk'),
    import('../../mcp/create-mcp-server.ts'),
  ]);
  const skills = createSkillSource();
  return {
    createServer: (token) => {
      const client = createControlClient({ url, token });
      const library = createLibraryClient({ url, token });
      return module.createMcpServer({ client, library, tools: createRlTools({ client }), skills, version: VERSION });
    },
    controlUrl: createControlClient({ url }).url,
  };
}

function readVariable(name: string): string | undefined {
  const value = process.env[name];
  return value === '' ? undefined : value;
}

function readPort(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_HTTP_PORT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) fail(`--port wants a whole number up to 65535, and ${JSON.stringify(text)} was given.`);
  return port;
}
