import { redact, type Redactor } from '@lachesis/protocol';
import { type AgentTool, replyWithImages } from '@lachesis/sdk/agent';

export interface OutsideToolsOptions {
  /** By the names of their toolsets. */
  readonly toolsets: Readonly<Record<string, readonly AgentTool[]>>;
  /** Names that tools of the project have. */
  readonly taken: readonly string[];
  readonly redactor: Redactor;
}

/** Kept in this process, and nobody else's business. */
const UNASKED = ['memory', 'todo'];

/**
 * The tools of toolsets for the agent of a person: each call is asked about, and secrets are taken out of what comes back. One whose name
 * a tool of the project has works in the sandbox, and says so in its name.
 */
export function createOutsideTools({ toolsets, taken, redactor }: OutsideToolsOptions): AgentTool[] {
  const tools = Object.entries(toolsets).flatMap(([toolset, members]) =>
    members.map((tool): AgentTool => ({
      ...tool,
      name: taken.includes(tool.name) ? `sandbox_${tool.name}` : tool.name,
      risk: UNASKED.includes(toolset) ? undefined : 'acts',
      execute: async (args, context) => clean(await tool.execute(args, context), redactor),
    })),
  );
  return [...new Map(tools.map((tool) => [tool.name, tool])).values()];
}

/** An image stays as it is: no secret is known by its pixels. */
function clean(given: unknown, redactor: Redactor): unknown {
  const reply = given as Partial<ReturnType<typeof replyWithImages>> | null;
  if (typeof reply === 'object' && reply !== null && Array.isArray(reply.images) && 'result' in reply) {
    return replyWithImages(redact(reply.result, redactor).value, reply.images);
  }
  return redact(given, redactor).value;
}
