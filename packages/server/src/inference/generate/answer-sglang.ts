import type { sglangGenerateRequestSchema } from '@lachesis/protocol';
import type { z } from 'zod';
import { rolloutIdOf, type CompletionCall } from '../calls/completion-call.ts';
import { badParameter } from '../calls/body-rules.ts';
import type { HandlerDeps } from '../openai/deps.ts';
import type { CutReply } from '../tokens/cut-at-stop.ts';
import { planSample } from '../tokens/sample-plan.ts';
import type { GenerateAnswer } from './generate-answer.ts';

type Request = z.output<typeof sglangGenerateRequestSchema>;

/** As many as SGLang samples when nobody says. */
const DEFAULT_MAX_TOKENS = 128;

/** One object, or a list of them for several samples or prompts. */
export async function answerSglang(deps: HandlerDeps, body: Request, call: CompletionCall): Promise<GenerateAnswer> {
  const { station } = deps;
  const { tokenizer } = station.options;
  const { sampling_params: given } = body;
  const params = given ?? {};
  if ((params.min_new_tokens ?? 0) > 0) throw badParameter('sampling_params.min_new_tokens', 'is not supported');
  const plan = planSample(
    {
      ...params,
      max_tokens: params.max_new_tokens ?? params.max_tokens,
      seed: params.sampling_seed ?? params.seed,
    },
    { tokenizer, defaultMaxTokens: DEFAULT_MAX_TOKENS },
  );
  const { prompts, isBatch } = await readPrompts(deps, body);
  const sampled = await Promise.all(prompts.map((prompt) => station.sample(prompt, plan, call)));
  const replies = sampled.flatMap(({ prompt, replies: own, policyVersion }) =>
    own.map((reply) => ({ prompt, reply, policyVersion })),
  );
  const answers = replies.map(({ prompt, reply, policyVersion }, index) => ({
    text: reply.text,
    output_ids: Array.from(reply.tokens),
    meta_info: {
      id: deps.nextId(),
      finish_reason: toFinishReason(reply),
      prompt_tokens: prompt.length,
      completion_tokens: reply.tokens.length,
      policy_version: policyVersion,
      // Always: a reply whose tokens have no log probabilities cannot be trained on.
      output_token_logprobs: Array.from(reply.tokens, (token, place) => [reply.logprobs[place], token, null]),
      ...rolloutIdOf(call, index),
    },
  }));
  const [only] = answers;
  return { answer: isBatch || plan.samples > 1 || only === undefined ? answers : only, sampled };
}

async function readPrompts(
  { station }: HandlerDeps,
  { input_ids: ids, text }: Request,
): Promise<{ prompts: Int32Array[]; isBatch: boolean }> {
  const { tokenizer } = station.options;
  if (ids !== null && ids !== undefined) {
    const isBatch = Array.isArray(ids[0]);
    const lists = (isBatch ? ids : [ids]) as number[][];
    return { prompts: lists.map((list) => Int32Array.from(list)), isBatch };
  }
  if (text === null || text === undefined)
    throw badParameter('input_ids', 'is missing; send input_ids, text or prompt');
  const texts = typeof text === 'string' ? [text] : text;
  const prompts = await Promise.all(texts.map((each) => tokenizer.encode(each, { addSpecialTokens: true })));
  return { prompts, isBatch: typeof text !== 'string' };
}

function toFinishReason({ stopReason, matched, tokens }: CutReply): object {
  return stopReason === 'length' ? { type: 'length', length: tokens.length } : { type: 'stop', matched };
}
