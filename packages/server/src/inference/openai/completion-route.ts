import { completionReplySchema, completionRequestSchema } from '@lachesis/protocol';
import type { Tokenizer } from '@lachesis/sdk/render';
import type { z } from 'zod';
import { defineRoute, jsonOrByHand } from '../../http/define-route.ts';
import { lateJsonBody } from '../../http/read-body.ts';
import { LARGE_BODY, type Route } from '../../http/route.ts';
import type { CompletionCall } from '../calls/completion-call.ts';
import { guardCompletion } from '../calls/guard-completion.ts';
import { badParameter, OPENAI_BODY } from '../calls/body-rules.ts';
import { recordCompletion } from '../recording/begin-call.ts';
import { collectSampled } from '../recording/collect-sampled.ts';
import type { CutReply } from '../tokens/cut-at-stop.ts';
import { planSample } from '../tokens/sample-plan.ts';
import type { SamplerReply } from '../tokens/policy-sampler.ts';
import { choiceExtras, countUsage } from './choice-extras.ts';
import type { HandlerDeps } from './deps.ts';
import { sendEvents } from './send-events.ts';
import { splitText } from './split-text.ts';

type ParsedRequest = z.output<typeof completionRequestSchema>;

type ServedCompletion = z.input<typeof completionReplySchema>;

export function createCompletionRoute(deps: HandlerDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/completions',
    maxBodyBytes: LARGE_BODY,
    scope: 'inference:call',
    summary: 'Completions of texts or token ids as OpenAI has them; `return_token_ids` adds ids and log probabilities.',
    body: lateJsonBody(completionRequestSchema, OPENAI_BODY),
    reply: jsonOrByHand(completionReplySchema),
    handle: (routeCall) =>
      guardCompletion(deps, routeCall, async (call) => {
        const given = await routeCall.body.read();
        const recorded = { routeCall, call, endpoint: 'completions', body: given } as const;
        const { body, reply } = await recordCompletion(deps, recorded, async (open) => {
          const checked = routeCall.body.check(given);
          routeCall.releaseBody();
          const { served, sampled } = await answerCompletion(
            deps,
            checked,
            await deps.models.choose(checked.model, call),
          );
          open?.complete(collectSampled(sampled, { model: deps.modelName, responseId: served.id }));
          return { body: checked, reply: served };
        });
        if (body.stream !== true) return reply;
        return sendEvents(routeCall.reply, toChunks(reply, body.stream_options?.include_usage === true));
      }),
  });
}

async function answerCompletion(
  deps: HandlerDeps,
  body: ParsedRequest,
  call: CompletionCall,
): Promise<{ served: ServedCompletion; sampled: SamplerReply[] }> {
  const { station, modelName, nextId, now } = deps;
  const { tokenizer, defaultMaxTokens } = station.options;
  if (body.echo === true) throw badParameter('echo', 'is not supported; prompt_token_ids names the prompt');
  if ((body.suffix ?? '') !== '') throw badParameter('suffix', 'is not supported');
  if ((body.logprobs ?? 0) > 1) throw badParameter('logprobs', 'gives the sampled tokens alone; send 0 or 1');
  const plan = planSample(body, { tokenizer, defaultMaxTokens });
  const prompts = await readPrompts(tokenizer, body.prompt);
  const sampled = await Promise.all(prompts.map((prompt) => station.sample(prompt, plan, call)));
  const withTokens = body.return_token_ids === true;
  const choices = await Promise.all(
    sampled.flatMap(({ prompt, replies, policyVersion }, place) =>
      replies.map(async (reply, sample) => ({
        index: place * plan.samples + sample,
        text: reply.text,
        finish_reason: reply.stopReason,
        logprobs: (body.logprobs ?? undefined) === undefined ? null : await nameLogprobs(deps, reply),
        ...(withTokens && prompts.length > 1 ? { prompt_token_ids: Array.from(prompt) } : {}),
        ...choiceExtras({ reply, index: place * plan.samples + sample, policyVersion, call, withTokens }),
      })),
    ),
  );
  const [first] = sampled;
  const served: ServedCompletion = {
    id: `cmpl-${nextId()}`,
    object: 'text_completion',
    created: Math.floor(now() / 1000),
    model: modelName,
    choices,
    usage: countUsage(
      prompts.reduce((sum, prompt) => sum + prompt.length, 0),
      sampled.flatMap(({ replies }) => replies),
    ),
    // Prompts of one request may meet a switch; each choice says its own.
    ...(first === undefined ? {} : { policy_version: first.policyVersion }),
    ...(first?.modelVersionId === undefined ? {} : { model_version_id: first.modelVersionId }),
    ...(withTokens && prompts.length === 1 && first !== undefined
      ? { prompt_token_ids: Array.from(first.prompt) }
      : {}),
  };
  return { served, sampled };
}

/** Texts are encoded with what the model puts first; ids are taken as they are. */
async function readPrompts(tokenizer: Tokenizer, prompt: ParsedRequest['prompt']): Promise<Int32Array[]> {
  if (typeof prompt === 'string') return [await tokenizer.encode(prompt, { addSpecialTokens: true })];
  if (prompt.length === 0) throw badParameter('prompt', 'is empty');
  if (typeof prompt[0] === 'number') return [Int32Array.from(prompt as number[])];
  return Promise.all(
    (prompt as (string | number[])[]).map(async (each) =>
      typeof each === 'string' ? tokenizer.encode(each, { addSpecialTokens: true }) : Int32Array.from(each),
    ),
  );
}

async function nameLogprobs(
  { texts }: HandlerDeps,
  { tokens, logprobs }: CutReply,
): Promise<{ tokens: string[]; token_logprobs: number[]; top_logprobs: null; text_offset: number[] }> {
  const names = await texts.read(tokens);
  let offset = 0;
  const offsets = names.map((name) => {
    offset += name.length;
    return offset - name.length;
  });
  return { tokens: names, token_logprobs: Array.from(logprobs), top_logprobs: null, text_offset: offsets };
}

function* toChunks(reply: ServedCompletion, withUsage: boolean): Generator {
  const { choices, usage, prompt_token_ids: promptIds, ...head } = reply;
  const noUsage = withUsage ? { usage: null } : {};
  let prompt = promptIds === undefined ? {} : { prompt_token_ids: promptIds };
  for (const { index, text, finish_reason, logprobs, ...extras } of choices) {
    for (const piece of splitText(text)) {
      yield { ...head, ...prompt, choices: [{ index, text: piece, logprobs: null, finish_reason: null }], ...noUsage };
      prompt = {};
    }
    yield { ...head, ...prompt, choices: [{ index, text: '', logprobs, finish_reason, ...extras }], ...noUsage };
    prompt = {};
  }
  if (withUsage) yield { ...head, choices: [], usage };
}
