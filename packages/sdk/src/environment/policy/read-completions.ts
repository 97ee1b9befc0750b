import { toChatMessage } from '@lachesis/protocol';
import { z } from 'zod';
import type { Completion, PolicyRange } from './policy.ts';

const numbersSchema = z.custom<number[]>(isNumbers, { error: 'is not a list of numbers' });

/** What is read of a chat reply. Servers differ in all the rest. */
const chatReplySchema = z.object({
  prompt_token_ids: numbersSchema.nullish(),
  policy_version: z.int().nullish(),
  choices: z.array(
    z.object({
      message: z.looseObject({ role: z.string().default('assistant'), content: z.unknown() }),
      finish_reason: z.string().nullish(),
      prompt_token_ids: numbersSchema.nullish(),
      token_ids: numbersSchema.nullish(),
      response_token_ids: numbersSchema.nullish(),
      token_logprobs: numbersSchema.nullish(),
      logprobs: z.object({ content: z.custom<{ logprob: number }[]>(Array.isArray).nullish() }).nullish(),
      policy_version: z.int().nullish(),
      policy_ranges: z.array(z.tuple([z.int(), z.int(), z.int()])).nullish(),
    }),
  ),
});

type Choice = z.infer<typeof chatReplySchema>['choices'][number];

/** The completions of a chat reply; with empty tokens where the server does not give ids. */
export function readCompletions(reply: unknown): Completion[] {
  const { choices, prompt_token_ids: promptIds, policy_version: version } = chatReplySchema.parse(reply);
  const prompt = Int32Array.from(promptIds ?? []);
  return choices.map((choice) => {
    // SGLang's name is the second.
    const tokens = Int32Array.from(choice.token_ids ?? choice.response_token_ids ?? []);
    const ranges = choice.policy_ranges as readonly PolicyRange[] | null | undefined;
    return {
      text: textOf(choice.message.content),
      // Servers send `tool_calls: null`, and refuse it when it comes back.
      message: toChatMessage(choice.message, 'assistant'),
      promptTokens: choice.prompt_token_ids ? Int32Array.from(choice.prompt_token_ids) : prompt,
      tokens,
      logprobs: tokens.length === 0 ? new Float32Array() : readLogprobs(choice),
      finishReason: choice.finish_reason ?? 'stop',
      policyVersion: choice.policy_version ?? version ?? undefined,
      ...(ranges === null || ranges === undefined ? {} : { policyRanges: ranges }),
    };
  });
}

/** Ours gives a plain list; vLLM gives one object per token. */
function readLogprobs({ token_logprobs: plain, logprobs }: Choice): Float32Array {
  if (plain) return Float32Array.from(plain);
  return Float32Array.from(logprobs?.content ?? [], ({ logprob }) => logprob);
}

export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) =>
      typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string' ? part.text : '',
    )
    .join('');
}

function isNumbers(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  for (const each of value) if (typeof each !== 'number') return false;
  return true;
}
