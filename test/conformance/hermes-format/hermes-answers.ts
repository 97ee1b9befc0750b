import type { OfferedTool, ChatMessage } from '@lachesis/protocol';

/** What the driver of the peer answers, line by line. */
export type HermesAnswer =
  | {
      kind: 'conversation';
      id: string;
      question: string;
      messages: ChatMessage[];
      completed: boolean;
      session: string | null;
      tools: OfferedTool[];
      stats: Record<string, { count: number; success: number; failure: number }>;
      saved: string[];
    }
  | { kind: 'list'; id: string; saved: string[] }
  | { kind: 'batch'; file: string }
  | { kind: 'resume'; prompts: string[] }
  | { kind: 'compressed'; line: string; tokens: number; turns: number; was_compressed: boolean };

export type SavedConversation = Extract<HermesAnswer, { kind: 'conversation' }>;
