import { createEgressFetch } from '../../egress/create-egress-fetch.ts';
import { createEgressRule } from '../../egress/create-egress-rule.ts';
import type { AgentTool } from '../agent-tool.ts';
import { createChatModel } from '../create-chat-model.ts';
import { createBrowserTools } from '../tools/browser/create-browser-tools.ts';
import { findBrowserProblem } from '../tools/browser/find-browser-problem.ts';
import { createMcpTools } from '../tools/create-mcp-tools.ts';
import { createImageTool } from '../tools/images/create-image-tool.ts';
import { createLook, createVisionTool } from '../tools/images/create-vision-tool.ts';
import { memoryTool } from '../tools/memory-tool.ts';
import { SANDBOX_TOOLSETS } from '../tools/sandbox-toolsets.ts';
import { todoTool } from '../tools/todo-tool.ts';
import { createWebTools } from '../tools/web/create-web-tools.ts';
import { connectMcp } from './connect-mcp.ts';
import { openSearch } from './open-search.ts';
import { ToolsetError } from './toolset-error.ts';
import { toolsSettingsSchema, type ToolsSettings } from './tools-settings.ts';

export type Toolsets = Readonly<Record<string, readonly AgentTool[]>>;

/** A toolset that was wanted and cannot be had, and what to do about it. */
export interface MissingToolset {
  readonly toolset: string;
  /** One sentence without its end: the variable or setting to set. */
  readonly configure: string;
}

export interface OpenToolsetsOptions {
  /** The toolsets by name; what is not wanted is not opened. */
  readonly wanted: readonly string[];
  /** Of `readToolsSettings`; default: what keys in the environment say. */
  readonly settings?: ToolsSettings | undefined;
  /** Where keys are. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Toolsets of one's own; one of the same name goes before ours. */
  readonly own?: Toolsets | undefined;
}

/** Tools by the names of their toolsets, and those that are not configured. Whoever opens them closes them. */
export interface OpenedToolsets {
  readonly toolsets: Toolsets;
  readonly missing: readonly MissingToolset[];
  close(): Promise<void>;
}

/** What an opener gives: tools, or the sentence that says what is to be configured. */
type Opened = { tools: readonly AgentTool[]; close?: () => Promise<void> } | { configure: string };

interface Parts {
  settings: ToolsSettings;
  env: Readonly<Record<string, string | undefined>>;
  /** Asks what a model wrote. */
  fetchPage: typeof fetch;
  /** Asks the server at an address that a person wrote, wherever it is. */
  fetchOf: (address: string) => typeof fetch;
}

/** Every toolset that needs something besides a sandbox. The one place where they are made. */
const OPENERS: Readonly<Record<string, (parts: Parts) => Promise<Opened>>> = {
  web: openWeb,
  vision: async (parts) => {
    const found = readServer('vision', parts);
    if ('configure' in found) return found;
    const look = createLook(createChatModel(found));
    return { tools: [createVisionTool({ look, fetch: parts.fetchPage })] };
  },
  image_gen: async (parts) => {
    const found = readServer('image_gen', parts);
    if ('configure' in found) return found;
    return { tools: [createImageTool({ ...found, fetchPage: parts.fetchPage })] };
  },
  browser: openBrowserTools,
  memory: async () => ({ tools: [memoryTool] }),
  todo: async () => ({ tools: [todoTool] }),
};

/** The names of all toolsets that can be had by configuration alone. */
export const TOOLSET_NAMES: readonly string[] = Object.freeze([
  ...Object.keys(SANDBOX_TOOLSETS),
  ...Object.keys(OPENERS),
]);

/** Opens the toolsets that are wanted, out of what is configured. Nothing is asked of a server but of those of MCP. */
export async function openToolsets(options: OpenToolsetsOptions): Promise<OpenedToolsets> {
  const { env = process.env, own = {}, settings = toolsSettingsSchema.parse({}) } = options;
  const allow = env['LACHESIS_EGRESS_ALLOW'] ?? '';
  const fetchOf = (address: string): typeof fetch =>
    createEgressFetch({ rule: createEgressRule({ allow: `${allow} ${new URL(address).host}` }) });
  const parts: Parts = { settings, env, fetchOf, fetchPage: createEgressFetch({ rule: createEgressRule({ allow }) }) };
  const toolsets: Record<string, readonly AgentTool[]> = {};
  const missing: MissingToolset[] = [];
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    const ended = await Promise.allSettled(closing.splice(0).map((end) => end()));
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
  };
  try {
    for (const toolset of new Set(options.wanted)) {
      const opened = await open(toolset, parts, { ...SANDBOX_TOOLSETS, ...own });
      if ('configure' in opened) missing.push({ toolset, configure: opened.configure });
      else {
        toolsets[toolset] = opened.tools;
        if (opened.close !== undefined) closing.push(opened.close);
      }
    }
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
  // A search belongs to a browser, as Hermes has it.
  const search = toolsets['web']?.filter(({ name }) => name === 'web_search') ?? [];
  const { browser } = toolsets;
  if (browser !== undefined && own['browser'] === undefined) toolsets['browser'] = [...browser, ...search];
  return { toolsets, missing, close };
}

async function open(toolset: string, parts: Parts, given: Toolsets): Promise<Opened> {
  const known = given[toolset];
  if (known !== undefined) return { tools: known };
  const server = parts.settings.mcp[toolset];
  if (server !== undefined) return openMcp(toolset, parts);
  const opener = Object.hasOwn(OPENERS, toolset) ? OPENERS[toolset] : undefined;
  if (opener !== undefined) return opener(parts);
  const names = [...new Set([...Object.keys(given), ...TOOLSET_NAMES, ...Object.keys(parts.settings.mcp)])];
  throw new ToolsetError({
    ...{ kind: 'unknown-toolset', subject: toolset, known: names },
    reason: `There is no toolset ${JSON.stringify(toolset)}; an MCP server becomes one as tools.mcp.${toolset}.`,
  });
}

async function openWeb({ settings, env, fetchOf, fetchPage }: Parts): Promise<Opened> {
  const found = await openSearch({ search: settings.search, env, fetchOf, fetchPage });
  return 'configure' in found ? found : { tools: createWebTools(found) };
}

/** Chromium of this machine in a sandbox; an MCP server of the same name goes before it. */
async function openBrowserTools(parts: Parts): Promise<Opened> {
  const executable = parts.settings.browser?.executable;
  const configure = await findBrowserProblem({ executable, env: parts.env });
  if (configure !== undefined) return { configure };
  const model = readServer('vision', parts);
  const allowed = parts.env['LACHESIS_EGRESS_ALLOW'] ?? '';
  // `*` is the web's own two ports; another one is open where a person named it with its host.
  const named = allowed.split(/[\s,]+/).filter((entry) => /^[\w.-]+:\d+$/.test(entry));
  return createBrowserTools({
    ...{ executable, env: parts.env, rule: createEgressRule({ allow: allowed }), allow: ['*', ...named] },
    look: 'configure' in model ? undefined : createLook(createChatModel(model)),
  });
}

function readServer(
  name: 'vision' | 'image_gen',
  { settings, env, fetchOf }: Parts,
): { url: string; model: string; apiKey: string | undefined; fetch: typeof fetch } | { configure: string } {
  const given = settings[name];
  if (given === undefined) {
    return { configure: `set tools.${name}: { base_url: …/v1, model: …, api_key_env: OPENAI_API_KEY } (--tools)` };
  }
  const { base_url: url, model, api_key_env: variable } = given;
  const apiKey = variable === undefined ? undefined : env[variable];
  if (variable !== undefined && (apiKey ?? '') === '')
    return { configure: `set ${variable}, which tools.${name} names` };
  return { url, model, apiKey, fetch: fetchOf(url) };
}

async function openMcp(toolset: string, { settings, env, fetchOf }: Parts): Promise<Opened> {
  const server = settings.mcp[toolset];
  if (server === undefined) return { configure: `set tools.mcp.${toolset}` };
  const variable = 'url' in server ? server.api_key_env : undefined;
  if (variable !== undefined && (env[variable] ?? '') === '') {
    return { configure: `set ${variable}, which tools.mcp.${toolset} names` };
  }
  const fetch = 'url' in server ? fetchOf(server.url) : globalThis.fetch;
  try {
    const { client, close } = await connectMcp({ settings: server, env, fetch });
    const tools = await createMcpTools({ client, prefix: toolset, include: server.include });
    return { tools, close };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { configure: `mend tools.mcp.${toolset}: its server did not start (${reason})` };
  }
}

/** A line for each toolset that is missing, in order. */
export const describeMissing = (missing: readonly MissingToolset[]): string =>
  missing.map(({ toolset, configure }) => `\n  ${toolset}: ${configure}`).join('');
