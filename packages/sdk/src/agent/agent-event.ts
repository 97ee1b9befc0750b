import type { RecordedMessage } from '@lachesis/protocol';
import type { AgentResult } from './agent-result.ts';
import type { AgentTool, ToolArguments, ToolRisk } from './agent-tool.ts';

export interface ToolCall {
  id: string;
  name: string;
  args: ToolArguments;
}

/** What somebody who watches is told, in order. */
export type AgentEvent =
  | { kind: 'model-asked'; turn: number }
  | { kind: 'model-replied'; turn: number; message: RecordedMessage }
  | { kind: 'tool-started'; call: ToolCall }
  | { kind: 'tool-refused'; call: ToolCall; reason: string }
  | { kind: 'tool-ended'; call: ToolCall; text: string; isError: boolean; ms: number }
  | { kind: 'ended'; result: AgentResult };

export interface ApprovalQuestion {
  call: ToolCall;
  tool: AgentTool;
  risk: ToolRisk;
  /** What would happen, where the tool can say it. */
  preview: string | undefined;
  signal: AbortSignal;
}

/** Undefined allows it. A text refuses, and the model reads it. */
export type Approve = (question: ApprovalQuestion) => Promise<string | undefined>;
