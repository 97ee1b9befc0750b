import { z } from 'zod';
import { chatToolCallSchema } from '../chat/message.ts';
import { choiceFields, replyFields } from './choice-fields.ts';
import { neutralFields, samplingFields } from './sampling-fields.ts';
import { tokenIdsSchema } from './token-ids.ts';

/** A message as it is sent: what the template of the model reads beyond the role is the template's business. */
const sentMessageSchema = z.looseObject({ role: z.string() });

/** Body of `POST /v1/chat/completions`; fields that are not known are let through. */
export const chatRequestSchema = z.looseObject({
  ...samplingFields,
  ...neutralFields,
  messages: z.array(sentMessageSchema).min(1),
  /** The newer name of `max_tokens`. */
  max_completion_tokens: z.int().min(1).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  tools: z.array(z.looseObject({})).nullish(),
  tool_choice: z.union([z.string(), z.looseObject({})]).nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
  /** Variables for the template, such as `enable_thinking`. */
  chat_template_kwargs: z.record(z.string(), z.unknown()).nullish(),
  /**
   * `prompt_token_ids` and `token_ids` of the last reply, one after the other. Where the template keeps what they say, the
   * prompt begins with them, so that a conversation of several turns is one sequence of sampled tokens.
   */
  history_token_ids: tokenIdsSchema.nullish(),
  /** Whether thinking goes to `reasoning_content` instead of staying in the content. */
  separate_reasoning: z.boolean().nullish(),
});

const chatLogprobSchema = z.looseObject({ token: z.string(), logprob: z.number() });

/** Reply of `POST /v1/chat/completions`, with token ids and log probabilities where the server has them. */
export const chatReplySchema = z.looseObject({
  ...replyFields,
  object: z.string(),
  choices: z.array(
    z.looseObject({
      ...choiceFields,
      message: z.looseObject({
        role: z.string(),
        content: z.string().nullish(),
        reasoning_content: z.string().nullish(),
        tool_calls: z.array(chatToolCallSchema).nullish(),
      }),
      logprobs: z.looseObject({ content: z.array(chatLogprobSchema).nullish() }).nullish(),
    }),
  ),
});
