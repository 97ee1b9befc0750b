import type { ChatMessage } from '@lachesis/protocol';
import type { AgentResult } from './agent-result.ts';
import type { AgentTool, ToolArguments, ToolRisk } from './agent-tool.ts';

export interface ToolInvocation {
  id: string;
  name: string;
  args: ToolArguments;
}

/** What somebody who watches is told, in order. */
export type AgentEvent =
  | { kind: 'model-asked'; turn: number }
  | { kind: 'model-replied'; turn: number; message: ChatMessage }
  | { kind: 'tool-started'; call: ToolInvocation }
  | { kind: 'tool-refused'; call: ToolInvocation; reason: string }
  | { kind: 'tool-ended'; call: ToolInvocation; text: string; isError: boolean; ms: number }
  | { kind: 'ended'; result: AgentResult };

/** A call that must be allowed by somebody before it is made. */
export interface ApprovalQuestion {
  call: ToolInvocation;
  tool: AgentTool;
  risk: ToolRisk;
  /** What would happen, where the tool can say it. */
  preview: string | undefined;
  signal: AbortSignal;
}

/** Undefined allows it. A text refuses, and the model reads it. */
export type Approve = (question: ApprovalQuestion) => Promise<string | undefined>;
