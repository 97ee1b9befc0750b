import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { ToolContext } from '../agent-tool.ts';
import { ToolError } from '../tool-error.ts';

/** The sandbox of the agent that calls; a tool that works in one cannot do without. */
export async function requireSandbox({ sandbox }: ToolContext, tool: string): Promise<Sandbox> {
  if (sandbox !== undefined) return sandbox();
  throw new ToolError({
    what: `${tool} was not run`,
    reason: 'this agent has no sandbox',
    hint: 'Whoever starts the agent gives `sandbox` to runAgent, or writes an AgentEnvironment',
  });
}
