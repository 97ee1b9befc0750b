import { z } from 'zod';
import type { AgentTool } from '../agent-tool.ts';
import { defineTool } from '../define-tool.ts';
import { ToolError } from '../tool-error.ts';
import { requireSandbox } from './require-sandbox.ts';

const MATCHES = 50;

export const searchFilesTool: AgentTool = defineTool({
  name: 'search_files',
  description: 'Finds lines that match a pattern, or files by name.',
  input: z.object({
    pattern: z.string().min(1).describe('extended regular expression for content; such as *.py for files'),
    target: z.enum(['content', 'files']).default('content'),
    path: z.string().default('.').describe('folder or file to look in'),
    limit: z.int().min(1).max(1000).default(MATCHES).describe('most matches to give'),
  }),
  execute: async ({ pattern, target, path, limit }, context) => {
    const sandbox = await requireSandbox(context, 'search_files');
    // A path that begins with a dash would be an option of the command.
    const place = path.startsWith('-') ? `./${path}` : path;
    const command =
      target === 'content'
        ? ['grep', '-rnIE', '--exclude-dir=.git', '-e', pattern, '--', place]
        : ['find', place, '-name', '.git', '-prune', '-o', '-name', pattern, '-print'];
    const { stdout, stderr, exitCode, end } = await sandbox.exec(command, { signal: context.signal });
    const lines = stdout.split('\n').filter((line) => line !== '');
    // grep says 1 when nothing matches, and more when it could not look.
    const isWrong =
      lines.length === 0 &&
      end === 'exited' &&
      (target === 'content' ? exitCode !== 0 && exitCode !== 1 : exitCode !== 0);
    if (isWrong) {
      throw new ToolError({
        what: `${path} was not searched`,
        reason: stderr.trim().slice(0, 300) || `exit code ${exitCode}`,
      });
    }
    const matches = lines.slice(0, limit);
    return { matches, total: lines.length, ...(end === 'exited' ? {} : { note: `the search was ended (${end})` }) };
  },
});
