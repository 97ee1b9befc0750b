import { z } from 'zod';

/** The arguments stay the text the model wrote: `1.0`, big integers and the order of keys are lost once they are parsed. */
export const chatToolCallSchema = z.looseObject({
  id: z.string().nullish(),
  type: z.string().nullish(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});

export type ChatToolCall = z.infer<typeof chatToolCallSchema>;

/**
 * A message of a conversation, as OpenAI's chat has it. Read loosely: what a provider adds is kept. Thinking is in
 * `reasoning_content`; the other names it travels under (`reasoning`, `reasoning_details`) are kept beside it.
 */
export const chatMessageSchema = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() })), z.null()]).optional(),
  reasoning_content: z.string().nullish(),
  tool_calls: z.array(chatToolCallSchema).nullish(),
  /** On a message of the role `tool`: the call it answers. */
  tool_call_id: z.string().nullish(),
  name: z.string().nullish(),
});

export type ChatMessage = z.infer<typeof chatMessageSchema>;

/** A tool as it was offered to the model. */
export const offeredToolSchema = z.looseObject({
  type: z.string(),
  function: z
    .looseObject({ name: z.string(), description: z.string().nullish(), parameters: z.unknown().optional() })
    .optional(),
});

export type OfferedTool = z.infer<typeof offeredToolSchema>;
