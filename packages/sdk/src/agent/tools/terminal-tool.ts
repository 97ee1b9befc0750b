import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import type { AgentTool } from '../agent-tool.ts';
import { describeExec } from './describe-exec.ts';
import { requireSandbox } from './require-sandbox.ts';

/** Above what a sandbox lets a command take, so that the sandbox ends it and the model reads why. */
export const SANDBOX_TOOL_MS = 30 * 60_000;

export const terminalTool: AgentTool = defineTool({
  name: 'terminal',
  description:
    'Runs a shell command in the sandbox and gives its output and exit code. Files stay for the next command.',
  timeoutMs: SANDBOX_TOOL_MS,
  input: z.object({
    command: z.string().min(1).describe('for sh -c'),
    timeout: z.number().gt(0).optional().describe('seconds it may take'),
    workdir: z.string().optional().describe('folder to run in; /work when left out'),
  }),
  execute: async ({ command, timeout, workdir }, context) => {
    const sandbox = await requireSandbox(context, 'terminal');
    const result = await sandbox.exec(command, {
      signal: context.signal,
      ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
      ...(workdir === undefined ? {} : { cwd: workdir }),
    });
    return describeExec(result);
  },
});
