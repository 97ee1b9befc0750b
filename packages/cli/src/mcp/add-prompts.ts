import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import type { SkillSource } from './skill-source.ts';

const ARGUMENTS = [{ name: 'task', description: 'what is to be done with it, in a sentence', required: false }];

/** Each skill as a prompt that a person picks; they are read when a client asks, as the resources are. */
export function addPrompts(server: McpServer, skills: SkillSource): void {
  server.server.setRequestHandler(ListPromptsRequestSchema, async () => ({
    prompts: (await skills.list()).map(({ name, description }) => ({ name, description, arguments: ARGUMENTS })),
  }));
  server.server.setRequestHandler(GetPromptRequestSchema, async ({ params }) => {
    const text = await skills.read(params.name);
    if (text === undefined) {
      throw new McpError(
        ErrorCode.InvalidParams,
        `There is no prompt ${JSON.stringify(params.name)}; list the prompts to see the skills there are.`,
      );
    }
    const task = params.arguments?.['task'];
    const messages = [`Follow this guide.\n\n${text}`, ...(task === undefined ? [] : [`The task: ${task}`])];
    return {
      messages: messages.map((each) => ({ role: 'user' as const, content: { type: 'text' as const, text: each } })),
    };
  });
}
