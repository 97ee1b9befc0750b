import type { OfferedTool } from '@lachesis/protocol';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ToolRun } from './tool-run.ts';

/** What a call may do that somebody would want to be asked about; `acts`: outside the project. Reading needs no question. */
export type ToolRisk = 'acts' | 'writes' | 'changes' | 'costs' | 'destroys';

export interface ToolContext {
  /** Aborted when the call took too long, or the agent was ended. */
  signal: AbortSignal;
  callId: string;
  /** The sandbox of this agent, made when it is first asked for; absent where an agent has none. */
  sandbox?: (() => Promise<Sandbox>) | undefined;
  /** The agent that calls: the same object in all its calls. */
  run?: ToolRun | undefined;
}

/** What a model gave to a tool, by the names in its schema. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** A tool by contract: whoever has a name, a schema and a function is one. */
export interface AgentTool {
  readonly name: string;
  /** For the model: what it does and when to take it. */
  readonly description: string;
  /** JSON schema of the arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Absent: nobody is asked. A function decides by the arguments. */
  readonly risk?: ToolRisk | ((args: ToolArguments) => ToolRisk | undefined) | undefined;
  /** What would happen, for the person who is asked. What it throws goes to the model, and nobody is asked. */
  readonly preview?: ((args: ToolArguments) => string | Promise<string>) | undefined;
  /** How long one call may take; default `toolMs` of the limits. */
  readonly timeoutMs?: number | undefined;
  /** Text goes to the model as it is, anything else as JSON; `replyWithImages` has images too. What it throws goes as `{error}`. */
  execute(args: ToolArguments, context: ToolContext): Promise<unknown>;
}

/** As OpenAI's chat wants it. */
export function toOfferedTool({ name, description, parameters }: AgentTool): OfferedTool {
  return { type: 'function', function: { name, description, parameters } };
}
