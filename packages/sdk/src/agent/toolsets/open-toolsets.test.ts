import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createToolRun } from '../tool-run.ts';
import { readToolReply } from '../tool-reply.ts';
import { describeMissing, openToolsets } from './open-toolsets.ts';
import { readToolsSettings } from './tools-settings.ts';

const PNG = `iVBORw0KGgo${'A'.repeat(41)}`;
const servers: Server[] = [];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-toolsets-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await rm(folder, { recursive: true, force: true });
});

interface Asked {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}

async function serve(answer: (asked: Asked) => unknown): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const call = { path: request.url ?? '', headers: request.headers, body: text === '' ? {} : JSON.parse(text) };
      asked.push(call);
      const reply = answer(call);
      const isPage = typeof reply === 'string';
      response.setHeader('content-type', isPage ? 'text/html; charset=utf-8' : 'application/json');
      response.end(isPage ? reply : JSON.stringify(reply));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const settle = async (yaml: string) => {
  const file = join(folder, 'tools.yaml');
  await writeFile(file, yaml);
  return readToolsSettings({ file, env: {} });
};

const context = () => ({ callId: 'a', signal: new AbortController().signal, run: createToolRun() });

test('says of each toolset what to configure, and opens what needs nothing', async () => {
  const wanted = ['terminal', 'web', 'vision', 'image_gen', 'browser', 'memory', 'todo'];
  const { toolsets, missing } = await openToolsets({ wanted, env: {} });
  expect(Object.keys(toolsets)).toEqual(['terminal', 'memory', 'todo']);
  expect(missing.map(({ toolset }) => toolset)).toEqual(['web', 'vision', 'image_gen', 'browser']);
  expect(describeMissing(missing)).toMatch(/web: set TAVILY_API_KEY.*vision: set tools\.vision.*image_gen: set/s);
  await expect(openToolsets({ wanted: ['wbe'], env: {} })).rejects.toThrow('There is no toolset "wbe"');
  const named = await settle('search: brave\nvision: { base_url: http://a/v1, model: b, api_key_env: SEEING_KEY }\n');
  const half = await openToolsets({ wanted: ['web', 'vision'], settings: named, env: {} });
  expect(describeMissing(half.missing)).toBe(
    '\n  web: set BRAVE_API_KEY, the key of brave\n  vision: set SEEING_KEY, which tools.vision names',
  );
});

test.each([
  ['tavily', { TAVILY_API_KEY: 'k' }, 'authorization', 'Bearer k'],
  ['exa', { EXA_API_KEY: 'k' }, 'x-api-key', 'k'],
  ['brave', { BRAVE_SEARCH_API_KEY: 'k' }, 'x-subscription-token', 'k'],
  ['searxng', {}, 'accept-encoding', 'identity'],
] as const)('%s searches and reads pages', async (provider, keys, header, value) => {
  const { url, asked } = await serve(({ path }) => {
    const hit = { title: 'T', url: `${url}/page`, content: 'C', description: 'C', text: 'the whole text' };
    if (path === '/page') return '<head><title>Moss</title></head><p>a &amp; b<script>no</script><li>c';
    if (path === '/extract') return { results: [{ raw_content: 'the whole text' }] };
    return provider === 'brave' ? { web: { results: [hit, hit] } } : { results: [hit, hit] };
  });
  const settings = await settle(`search: { provider: ${provider}, base_url: "${url}" }`);
  // The server that a person named is asked wherever it is; a page that a model names is held to the rule.
  const open = (allow: string) =>
    openToolsets({ wanted: ['web'], settings, env: { ...keys, LACHESIS_EGRESS_ALLOW: allow } });
  const { toolsets } = await open('127.0.0.0/8');
  const [search, extract] = toolsets['web'] ?? [];
  expect(await search?.execute({ query: 'moss', limit: 1 }, context())).toMatchObject({
    results: [{ title: 'T', url: `${url}/page` }],
  });
  expect(asked[0]?.headers[header]).toBe(value);
  const own = provider === 'brave' || provider === 'searxng';
  expect(await extract?.execute({ urls: [`${url}/page`] }, context())).toEqual({
    pages: [{ url: `${url}/page`, content: own ? 'Moss\n\na & b\n- c' : 'the whole text' }],
  });
  if (!own) return;
  const closed = (await open('')).toolsets['web']?.[1];
  expect(await closed?.execute({ urls: [`${url}/page`] }, context())).toMatchObject({
    pages: [{ error: expect.stringContaining('may not be asked') as string }],
  });
});

test('a folder is searched by its words and read by its addresses', async () => {
  await writeFile(join(folder, 'moss.md'), '# Moss\nMoss grows on stones in the shade.\n');
  await writeFile(
    join(folder, 'rows.jsonl'),
    '{"title":"Fern","url":"https://a.example/fern","text":"A fern unrolls."}\n',
  );
  const settings = await settle('tools:\n  search: corpus:.\n');
  const [search, extract] = (await openToolsets({ wanted: ['web'], settings, env: {} })).toolsets['web'] ?? [];
  expect(await search?.execute({ query: 'moss on stones' }, context())).toMatchObject({
    results: [{ title: 'Moss', url: 'https://corpus.invalid/moss.md' }],
  });
  expect(
    await extract?.execute({ urls: ['https://a.example/fern', 'https://elsewhere.example/'] }, context()),
  ).toMatchObject({
    pages: [{ content: 'A fern unrolls.' }, { error: expect.stringContaining('not in the corpus') as string }],
  });
  const gone = await openToolsets({ wanted: ['web'], settings: await settle('search: corpus:gone'), env: {} });
  expect(describeMissing(gone.missing)).toContain('gone cannot be read (ENOENT)');
});

test('an image is made, kept by its name, looked at, and in what both tools give', async () => {
  const { url, asked } = await serve(({ path }) =>
    path === '/v1/images/generations'
      ? { data: [{ b64_json: PNG }] }
      : { choices: [{ message: { role: 'assistant', content: 'a red square' } }] },
  );
  const server = `{ base_url: "${url}/v1", model: m, api_key_env: KEY }`;
  const settings = await settle(`vision: ${server}\nimage_gen: ${server}\n`);
  const env = { KEY: 'k' };
  const { toolsets } = await openToolsets({ wanted: ['vision', 'image_gen'], settings, env });
  const own = context();
  const made = readToolReply(await toolsets['image_gen']?.[0]?.execute({ prompt: 'a red square' }, own));
  expect([made.result, made.images]).toMatchObject([{ image: 'image_1' }, [{ mediaType: 'image/png', data: PNG }]]);
  const look = toolsets['vision']?.[0];
  const seen = readToolReply(await look?.execute({ image_url: 'image_1', question: 'What?' }, own));
  expect([seen.result, seen.images]).toMatchObject([{ analysis: 'a red square' }, [{ data: PNG }]]);
  expect(JSON.stringify(asked.at(-1)?.body)).toContain(`data:image/png;base64,${PNG}`);
  expect(asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer k', 'Bearer k']);
  await expect(look?.execute({ image_url: 'image_1' }, context())).rejects.toThrow('There is no image_1');
  await expect(look?.execute({ image_url: 'http://169.254.169.254/a.png' }, own)).rejects.toThrow('may not be asked');
  await expect(look?.execute({ image_url: 'data:image/png;base64,aGVsbG8=' }, own)).rejects.toThrow('no PNG');
});

test('notes and plans are those of one agent', async () => {
  const { toolsets } = await openToolsets({ wanted: ['memory', 'todo'], env: {} });
  const [memory, todo] = [toolsets['memory']?.[0], toolsets['todo']?.[0]];
  const [one, other] = [context(), context()];
  await memory?.execute({ action: 'add', content: 'the key is under the mat' }, one);
  expect(await memory?.execute({ action: 'replace', old_text: 'mat', content: 'the key is gone' }, one)).toMatchObject({
    entries: ['the key is gone'],
  });
  expect(await memory?.execute({ action: 'list' }, other)).toMatchObject({ entries: [] });
  await expect(memory?.execute({ action: 'remove', old_text: 'mat' }, one)).rejects.toThrow('in 0 notes');
  const item = { id: '1', content: 'look', status: 'pending' };
  await todo?.execute({ todos: [item] }, one);
  expect(
    await todo?.execute(
      {
        todos: [
          { ...item, status: 'completed' },
          { ...item, id: '2' },
        ],
        merge: true,
      },
      one,
    ),
  ).toMatchObject({ summary: { total: 2, completed: 1, pending: 1 } });
  expect(await todo?.execute({}, other)).toMatchObject({ todos: [] });
});

test('an MCP server at an address is a toolset, asked with the key that its setting names', async () => {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization);
    void answerMcp(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const settings = await settle(`mcp: { far: { url: "${url}", api_key_env: FAR_KEY, include: [greet] } }`);
  const half = await openToolsets({ wanted: ['far'], settings, env: {} });
  expect(describeMissing(half.missing)).toBe('\n  far: set FAR_KEY, which tools.mcp.far names');
  expect(keys).toEqual([]);
  const { toolsets, missing, close } = await openToolsets({ wanted: ['far'], settings, env: { FAR_KEY: 'k' } });
  expect([missing, toolsets['far']?.map(({ name }) => name)]).toEqual([[], ['far_greet']]);
  expect(await toolsets['far']?.[0]?.execute({ name: 'Ada' }, context())).toBe('hello Ada');
  expect(new Set(keys)).toEqual(new Set(['Bearer k']));
  await close();
});

/** A server by the protocol's own parts, without sessions: a new one for each request. */
async function answerMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const server = new McpServer({ name: 'far', version: '1' });
  const inputSchema = { name: z.string() };
  server.registerTool('greet', { inputSchema }, async ({ name }) => ({
    content: [{ type: 'text', text: `hello ${name}` }],
  }));
  server.registerTool('other', { inputSchema }, async () => ({ content: [] }));
  const transport = new StreamableHTTPServerTransport({});
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

test('an MCP server that does not start is told as one to mend', async () => {
  const settings = await settle('mcp: { files: { command: lachesis-no-such-program } }');
  const { missing } = await openToolsets({ wanted: ['files'], settings, env: {} });
  expect(describeMissing(missing)).toMatch(/^\n  files: mend tools\.mcp\.files: its server did not start \(/);
});

test('settings that are wrong are refused by their name, and keys have no place in them', async () => {
  await expect(settle('serach: tavily')).rejects.toThrow(/tools\.yaml: tools: .*serach/);
  await expect(settle('search: google')).rejects.toThrow('tavily, brave, exa, searxng or corpus:<folder> is wanted');
  await expect(settle('vision: { base_url: http://a/v1, model: b, api_key_env: sk-123 }')).rejects.toThrow(
    'keys are not kept in files',
  );
});
