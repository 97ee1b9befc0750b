import { z } from 'zod';
import type { AgentTool } from '../agent-tool.ts';
import { defineTool } from '../define-tool.ts';
import { ToolError } from '../tool-error.ts';
import { requireSandbox } from './require-sandbox.ts';

const LINES = 500;
const path = z.string().min(1).describe('in the sandbox; relative to /work');

export const readFileTool: AgentTool = defineTool({
  name: 'read_file',
  description: 'Reads a text file, with line numbers. Long files come in parts.',
  input: z.object({
    path,
    offset: z.int().min(1).default(1).describe('first line'),
    limit: z.int().min(1).max(2000).default(LINES).describe('how many lines'),
  }),
  execute: async ({ path: file, offset, limit }, context) => {
    const text = await readText(await requireSandbox(context, 'read_file'), file);
    const lines = text.split('\n');
    if (lines.at(-1) === '') lines.pop();
    const shown = lines.slice(offset - 1, offset - 1 + limit);
    return {
      content: shown.map((line, index) => `${offset + index}|${line}`).join('\n'),
      total_lines: lines.length,
      ...(offset - 1 + limit < lines.length ? { next_offset: offset + limit } : {}),
    };
  },
});

export const writeFileTool: AgentTool = defineTool({
  name: 'write_file',
  description: 'Writes a whole text file, in place of what is there. Missing folders are made.',
  input: z.object({ path, content: z.string() }),
  execute: async ({ path: file, content }, context) => {
    const sandbox = await requireSandbox(context, 'write_file');
    await sandbox.writeFile(file, content);
    return { path: file, bytes: new TextEncoder().encode(content).length };
  },
});

export const patchTool: AgentTool = defineTool({
  name: 'patch',
  description: 'Replaces a piece of text in a file. The piece must stand there letter for letter, and once.',
  input: z.object({
    path,
    old_string: z.string().min(1).describe('with enough around it to be found once'),
    new_string: z.string(),
    replace_all: z.boolean().default(false).describe('replace it everywhere'),
  }),
  execute: async ({ path: file, old_string: before, new_string: after, replace_all: all }, context) => {
    const sandbox = await requireSandbox(context, 'patch');
    const text = await readText(sandbox, file);
    const parts = text.split(before);
    const count = parts.length - 1;
    if (count === 0 || (count > 1 && !all)) {
      throw new ToolError({
        what: `${file} was not changed`,
        reason: count === 0 ? 'old_string is not in it' : `old_string is in it ${count} times`,
        hint: count === 0 ? 'Read the file and copy the piece' : 'Give more of what stands around it, or replace_all',
      });
    }
    await sandbox.writeFile(file, parts.join(after));
    return { path: file, replaced: count };
  },
});

async function readText(sandbox: { readFile(path: string): Promise<Uint8Array> }, file: string): Promise<string> {
  const bytes = await sandbox.readFile(file);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    const hint = 'Look at it with the terminal';
    throw new ToolError({ what: `${file} was not read`, reason: 'it is no text', hint, cause });
  }
}
