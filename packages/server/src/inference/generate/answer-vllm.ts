import type { vllmGenerateRequestSchema } from '@lachesis/protocol';
import type { z } from 'zod';
import type { CompletionCall } from '../calls/completion-call.ts';
import { badParameter } from '../calls/body-rules.ts';
import type { HandlerDeps } from '../openai/deps.ts';
import { planSample } from '../tokens/sample-plan.ts';
import type { GenerateAnswer } from './generate-answer.ts';

type Request = z.output<typeof vllmGenerateRequestSchema>;

/** As many as vLLM samples when nobody says. */
const DEFAULT_MAX_TOKENS = 16;

/** Each position of an output is a list of one map from id to log probability, which is how its clients read it. */
export async function answerVllm(deps: HandlerDeps, body: Request, call: CompletionCall): Promise<GenerateAnswer> {
  const { station } = deps;
  const { tokenizer } = station.options;
  if ((body.logprobs ?? 0) > 1) throw badParameter('logprobs', 'gives the sampled tokens alone; send 0 or 1');
  if ((body.prompt_logprobs ?? 0) > 1) {
    throw badParameter('prompt_logprobs', 'gives the tokens of the prompt alone; send 1');
  }
  const plan = planSample(
    { ...body, max_tokens: body.max_tokens ?? body.max_completion_tokens ?? body.max_new_tokens },
    { tokenizer, defaultMaxTokens: DEFAULT_MAX_TOKENS },
  );
  const prompt =
    typeof body.prompt === 'string'
      ? await tokenizer.encode(body.prompt, { addSpecialTokens: true })
      : Int32Array.from(body.prompt.prompt_token_ids);
  const wantsPrompt = (body.prompt_logprobs ?? null) !== null;
  const sampled = await station.sample(prompt, plan, call, { promptLogprobs: wantsPrompt });
  const { replies, policyVersion, promptLogprobs } = sampled;
  const answer = {
    text: replies.map(({ text }) => text),
    prompt_token_ids: Array.from(prompt),
    token_ids: replies.map(({ tokens }) => Array.from(tokens)),
    logprobs: replies.map(({ tokens, logprobs }) =>
      Array.from(tokens, (token, place) => [{ [token]: logprobs[place] }]),
    ),
    finish_reasons: replies.map(({ stopReason }) => stopReason),
    policy_version: policyVersion,
    ...(wantsPrompt && promptLogprobs !== undefined
      ? {
          prompt_logprobs: Array.from(promptLogprobs, (logprob, place) =>
            Number.isNaN(logprob) ? null : { [prompt[place] ?? 0]: logprob },
          ),
        }
      : {}),
    ...(call.rolloutIds === undefined ? {} : { rollout_ids: call.rolloutIds }),
  };
  return { answer, sampled: [sampled] };
}
