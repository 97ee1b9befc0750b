import { z } from 'zod';
import type { AgentTool } from '../agent-tool.ts';
import { defineTool } from '../define-tool.ts';
import { ToolError } from '../tool-error.ts';
import { describeExec } from './describe-exec.ts';
import { requireSandbox } from './require-sandbox.ts';
import { SANDBOX_TOOL_MS } from './terminal-tool.ts';

/** Read from standard input, so that no file of it stays among the files of the task. */
const COMMANDS = {
  python: ['python3', '-'],
  javascript: ['node', '--input-type=module', '-'],
} as const;

/** What a shell says when there is no such program. */
const NOT_FOUND = 127;

export const executeCodeTool: AgentTool = defineTool({
  name: 'execute_code',
  description: 'Runs a program in Python or JavaScript (ES module) in the sandbox and gives what it prints.',
  timeoutMs: SANDBOX_TOOL_MS,
  input: z.object({
    language: z.enum(['python', 'javascript']),
    code: z.string().min(1),
    timeout: z.number().gt(0).optional().describe('seconds it may take'),
  }),
  execute: async ({ language, code, timeout }, context) => {
    const sandbox = await requireSandbox(context, 'execute_code');
    const [program, ...args] = COMMANDS[language];
    const result = await sandbox.exec(['sh', '-c', 'exec "$@"', 'sh', program, ...args], {
      input: code,
      signal: context.signal,
      ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
    });
    if (result.exitCode === NOT_FOUND && result.stdout === '') {
      const other = language === 'python' ? 'javascript' : 'python';
      throw new ToolError({ what: `${program} is not in the sandbox`, hint: `Write it in ${other}, or for the shell` });
    }
    return describeExec(result);
  },
});
