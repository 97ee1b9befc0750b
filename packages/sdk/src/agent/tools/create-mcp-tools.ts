import { z } from 'zod';
import type { AgentTool } from '../agent-tool.ts';
import { ToolError } from '../tool-error.ts';
import { replyWithImages, type ToolReply } from '../tool-reply.ts';

/** The part of an MCP client that is needed; `Client` of the MCP SDK is one. */
export interface McpClient {
  listTools(params?: { cursor?: string }): Promise<unknown>;
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    resultSchema?: undefined,
    options?: { signal?: AbortSignal },
  ): Promise<unknown>;
}

export interface McpToolsOptions {
  readonly client: McpClient;
  /** In front of each name, with an underscore, so that two servers can offer a tool of the same name. */
  readonly prefix?: string | undefined;
  /** Only these, by the server's names; all when left out. */
  readonly include?: readonly string[] | undefined;
}

const listSchema = z.looseObject({
  tools: z.array(
    z.looseObject({
      name: z.string().min(1),
      description: z.string().nullish(),
      inputSchema: z.record(z.string(), z.unknown()).catch({ type: 'object', properties: {} }),
    }),
  ),
  nextCursor: z.string().nullish(),
});

const resultSchema = z.looseObject({
  content: z
    .array(
      z.looseObject({
        type: z.string(),
        text: z.string().optional(),
        data: z.string().optional(),
        mimeType: z.string().optional(),
      }),
    )
    .default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().nullish(),
});

/** A server that always names a next page would be asked for ever. */
const MAX_PAGES = 100;
/** What servers of models accept as the name of a tool. */
const ODD_CHARACTERS = /[^a-zA-Z0-9_-]/g;
const LONGEST_NAME = 64;

/** The tools of an MCP server as a toolset. They run where the server runs, and not in the sandbox. */
export async function createMcpTools({ client, prefix, include }: McpToolsOptions): Promise<AgentTool[]> {
  const tools: AgentTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const listed = listSchema.parse(await client.listTools(cursor === undefined ? {} : { cursor }));
    for (const { name, description, inputSchema } of listed.tools) {
      if (include !== undefined && !include.includes(name)) continue;
      const shown = `${prefix === undefined ? '' : `${prefix}_`}${name}`.replaceAll(ODD_CHARACTERS, '_');
      const { $schema: _dialect, ...parameters } = inputSchema;
      tools.push({
        name: shown.slice(0, LONGEST_NAME),
        description: description ?? '',
        parameters,
        execute: async (args, { signal }) =>
          readResult(name, await client.callTool({ name, arguments: { ...args } }, undefined, { signal })),
      });
    }
    if (listed.nextCursor === null || listed.nextCursor === undefined || listed.nextCursor === '') break;
    cursor = listed.nextCursor;
  }
  return tools;
}

function readResult(name: string, given: unknown): string | ToolReply {
  const { content, structuredContent, isError } = resultSchema.parse(given);
  const text = content.map((part) => part.text ?? `[${part.type}]`).join('\n');
  const answer = text === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : text;
  if (isError === true) throw new ToolError({ what: `${name} failed`, answer: JSON.stringify({ error: answer }) });
  const images = content.flatMap(({ type, data, mimeType }) =>
    type === 'image' && data !== undefined ? [{ mediaType: mimeType ?? 'image/png', data }] : [],
  );
  return images.length === 0 ? answer : replyWithImages(answer, images);
}
