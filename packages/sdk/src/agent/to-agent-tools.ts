import { RL_TOOL_NAMES } from '@lachesis/protocol';
import type { RlTool, RlTools } from '../clients/rl-tools/rl-tool.ts';
import { describeRlToolInput } from '../clients/rl-tools/tool-formats.ts';
import type { AgentTool, ToolArguments, ToolRisk } from './agent-tool.ts';
import { ToolError } from './tool-error.ts';

/** Above what the tools wait for by themselves, so that theirs is the answer. */
const TIMEOUT_MS = 120_000;

/** The ten tools, for the loop: what ends something, is paid for, or decides what is run is asked about before. */
export function toAgentTools(tools: RlTools): AgentTool[] {
  return RL_TOOL_NAMES.map((name) => {
    const tool: RlTool = tools[name];
    return {
      ...{ name, description: tool.description, parameters: describeRlToolInput(tool), timeoutMs: TIMEOUT_MS },
      risk: (args: ToolArguments) => riskOf(tool, args),
      execute: async (args: ToolArguments, { signal }: { signal: AbortSignal }) => {
        // Every tool checks what it is given.
        const { isFailure, text } = await tool.run(args, { signal });
        if (isFailure) throw new ToolError({ what: `${name} failed`, answer: text });
        return text;
      },
    };
  });
}

function riskOf({ name, effects }: RlTool, args: ToolArguments): ToolRisk | undefined {
  if (effects.isDestructive) return 'destroys';
  if (name === 'rl_edit_config') return 'changes';
  // Reading on in a test that was allowed pays for nothing more.
  if (name === 'rl_test_inference' && typeof args['test_id'] === 'string') return undefined;
  return effects.isCostly ? 'costs' : undefined;
}
