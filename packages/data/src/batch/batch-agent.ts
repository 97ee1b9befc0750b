import { type OfferedTool, type ChatMessage, offeredToolSchema, chatMessageSchema } from '@lachesis/protocol';
import { z } from 'zod';

/** A row of the prompts. */
export const batchInputSchema = z.looseObject({
  prompt: z.string(),
  image: z.string().optional(),
  docker_image: z.string().optional(),
  cwd: z.string().optional(),
});

export type BatchInput = z.infer<typeof batchInputSchema>;

const usageSchema = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
});

/** One call of the model that is over, with what its tools answered. It is paid for once. */
export const batchTurnSchema = z.object({
  messages: z.array(chatMessageSchema).min(1),
  finish_reason: z.string().nullable(),
  usage: usageSchema.nullable(),
  /** US dollars; null where nobody knows. */
  cost: z.number().nullable(),
});

export type BatchTurn = z.infer<typeof batchTurnSchema>;

/** What an agent made of a prompt. It becomes the item's result, so it is plain JSON. */
export const batchAnswerSchema = z.object({
  messages: z.array(chatMessageSchema).min(1),
  tools: z.array(offeredToolSchema).nullable(),
  toolsets_used: z.array(z.string()),
  completed: z.boolean(),
  partial: z.boolean(),
  /** Why it ended. */
  reason: z.string(),
  api_calls: z.number(),
  usage: usageSchema,
  /** Of all turns; null where nobody knows. */
  cost: z.number().nullable(),
  /** Toolsets of the distribution that were not configured; absent when all were. */
  missing_toolsets: z.array(z.string()).optional(),
  /** Answers of tools that came out otherwise when a lost sandbox was built again. */
  rebuilt_differently: z.number().optional(),
});

export interface BatchAnswer {
  messages: ChatMessage[];
  tools: OfferedTool[] | null;
  toolsets_used: string[];
  completed: boolean;
  partial: boolean;
  reason: string;
  api_calls: number;
  usage: z.infer<typeof usageSchema>;
  cost: number | null;
  missing_toolsets?: string[] | undefined;
  rebuilt_differently?: number | undefined;
}

export interface BatchTask {
  index: number;
  attempt: number;
  input: BatchInput;
  /** Turns of an earlier life of this conversation; they are not paid for again. */
  turns: readonly BatchTurn[];
  /** Aborted when the work has to end at once, or the item is another worker's. */
  signal: AbortSignal;
  /** Resolves when the turn is on disk. */
  onTurn(turn: BatchTurn): Promise<void>;
}

/**
 * Answers the prompts of a batch, one at a time, turn by turn. It throws a BatchError, or anything else, which counts
 * as a failed attempt.
 */
export interface BatchAgent {
  run(task: BatchTask): Promise<BatchAnswer>;
  close?(): Promise<void>;
}

/** The result of an item in the store. */
export const batchResultSchema = z.union([
  batchAnswerSchema.extend({ model: z.string(), timestamp: z.string() }),
  /** A line that another runner wrote, as it stands. */
  z.object({ line: z.string() }),
]);

export type BatchResult = z.infer<typeof batchResultSchema>;
