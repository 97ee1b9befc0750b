import type { ChatMessage } from '@lachesis/protocol';
import { toReplyMessage, type CollectedReply } from '@lachesis/sdk/capture';
import type { SamplerReply } from '../tokens/policy-sampler.ts';
import type { CutReply } from '../tokens/cut-at-stop.ts';

/** What our own weights said: always with ids, logprobs and the version that made them. */
export function collectSampled(
  sampled: readonly SamplerReply[],
  options: {
    model: string;
    /** As the reply is called in the answer. */
    responseId?: string | undefined;
    /** The message and the finish reason of a reply that is more than its text. */
    messages?: readonly { message: object; finish_reason: string }[];
  },
): CollectedReply {
  const all = sampled.flatMap(({ prompt, replies, policyVersion }) =>
    replies.map((reply) => ({ prompt: Array.from(prompt), reply, policyVersion })),
  );
  const promptTokens = sampled.reduce((sum, { prompt }) => sum + prompt.length, 0);
  const completionTokens = all.reduce((sum, { reply }) => sum + reply.tokens.length, 0);
  // Prompts of one request may meet a switch; the record names the first.
  const modelVersionId = sampled[0]?.modelVersionId;
  return {
    choices: all.map(({ prompt, reply, policyVersion }, index) => {
      const read = options.messages?.[index];
      return {
        index,
        message: read === undefined ? toMessage(reply) : toReplyMessage(read.message),
        finishReason: read?.finish_reason ?? reply.stopReason,
        tokenIds: Array.from(reply.tokens),
        logprobs: Array.from(reply.logprobs),
        promptTokenIds: prompt,
        policyVersion,
      };
    }),
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
    cost: undefined,
    model: options.model,
    ...(modelVersionId === undefined ? {} : { modelVersionId }),
    ...(options.responseId === undefined ? {} : { responseId: options.responseId }),
  };
}

const toMessage = ({ text }: CutReply): ChatMessage => ({ role: 'assistant', content: text });
