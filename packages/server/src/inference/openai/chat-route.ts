import { chatReplySchema, chatRequestSchema, type ToolCallFormat } from '@lachesis/protocol';
import { renderMessages } from '@lachesis/sdk/render';
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
import { readMessage } from '../tokens/read-message.ts';
import { planSample } from '../tokens/sample-plan.ts';
import type { SamplerReply } from '../tokens/policy-sampler.ts';
import { choiceExtras, countUsage } from './choice-extras.ts';
import type { HandlerDeps } from './deps.ts';
import { streamChat, type ServedChat, type ServedChoice } from './stream-chat.ts';

type ParsedRequest = z.output<typeof chatRequestSchema>;

export function createChatRoute(deps: HandlerDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/chat/completions',
    maxBodyBytes: LARGE_BODY,
    scope: 'inference:call',
    summary: 'Chat completions as OpenAI has them; `return_token_ids` adds the ids and log probabilities.',
    body: lateJsonBody(chatRequestSchema, OPENAI_BODY),
    reply: jsonOrByHand(chatReplySchema),
    handle: (routeCall) =>
      guardCompletion(deps, routeCall, async (call) => {
        const given = await routeCall.body.read();
        const { body, chat } = await recordCompletion(
          deps,
          { routeCall, call, endpoint: 'chat', body: given },
          async (open) => {
            const checked = routeCall.body.check(given);
            routeCall.releaseBody();
            const { chat: served, sampled } = await answerChat(
              deps,
              checked,
              await deps.models.choose(checked.model, call),
            );
            open?.complete(
              collectSampled([sampled], { model: served.model, messages: served.choices, responseId: served.id }),
            );
            return { body: checked, chat: served };
          },
        );
        return body.stream === true
          ? streamChat(routeCall.reply, chat, { withUsage: body.stream_options?.include_usage === true })
          : chat;
      }),
  });
}

async function answerChat(
  deps: HandlerDeps,
  body: ParsedRequest,
  call: CompletionCall,
): Promise<{ chat: ServedChat; sampled: SamplerReply }> {
  const { station, modelName, nextId, now } = deps;
  const { tokenizer, defaultMaxTokens } = station.options;
  refuseUnsupported(body);
  const tools = body.tools === null || body.tool_choice === 'none' ? undefined : body.tools;
  const toolFormat = tools === undefined || tools.length === 0 ? undefined : findToolFormat(deps);
  const plan = planSample(
    {
      ...body,
      max_tokens: body.max_completion_tokens ?? body.max_tokens,
      // Some families write calls with special tokens.
      skip_special_tokens: toolFormat === undefined ? body.skip_special_tokens : false,
    },
    { tokenizer, defaultMaxTokens },
  );
  const { tokens: prompt } = await renderMessages({
    tokenizer,
    messages: body.messages,
    tools: tools === undefined || tools.length === 0 ? undefined : tools,
    addGenerationPrompt: true,
    history: readHistory(body),
    options: { variables: body.chat_template_kwargs ?? {}, now },
  });
  const sampled = await station.sample(prompt, plan, call);
  const { replies, policyVersion, modelVersionId } = sampled;
  const reasoning = (body.separate_reasoning ?? deps.separatesReasoning) ? tokenizer.family.reasoning : undefined;
  const withTokens = body.return_token_ids === true;
  const choices = await Promise.all(
    replies.map(async (reply, index): Promise<ServedChoice> => {
      const newCallId = (): string => `call_${nextId()}`;
      const message = readMessage({ text: reply.text, toolFormat, tools, reasoning, newCallId });
      const hasCalls = message.tool_calls !== undefined && reply.stopReason === 'stop';
      return {
        index,
        message,
        finish_reason: hasCalls ? 'tool_calls' : reply.stopReason,
        logprobs: body.logprobs === true ? { content: await nameLogprobs(deps, reply), refusal: null } : null,
        ...choiceExtras({ reply, index, policyVersion, call, withTokens }),
      };
    }),
  );
  const chat: ServedChat = {
    id: `chatcmpl-${nextId()}`,
    object: 'chat.completion',
    created: Math.floor(now() / 1000),
    model: modelName,
    choices,
    usage: countUsage(prompt.length, replies),
    policy_version: policyVersion,
    ...(modelVersionId === undefined ? {} : { model_version_id: modelVersionId }),
    ...(withTokens ? { prompt_token_ids: Array.from(prompt) } : {}),
  };
  return { chat, sampled };
}

function readHistory({ history_token_ids: ids }: ParsedRequest): Int32Array | undefined {
  return ids === null || ids === undefined || ids.length === 0 ? undefined : Int32Array.from(ids);
}

async function nameLogprobs(
  { texts }: HandlerDeps,
  { tokens, logprobs }: CutReply,
): Promise<{ token: string; logprob: number; bytes: number[] | null; top_logprobs: [] }[]> {
  const names = await texts.read(tokens);
  return names.map((token, index) => ({
    token,
    logprob: logprobs[index] ?? Number.NaN,
    // A token may be a part of a character; its bytes are then not those of its text.
    bytes: token.includes('\uFFFD') ? null : [...Buffer.from(token)],
    top_logprobs: [],
  }));
}

function findToolFormat({ toolFormat, station }: HandlerDeps): ToolCallFormat | undefined {
  return toolFormat === undefined ? station.options.tokenizer.family.toolFormat : (toolFormat ?? undefined);
}

function refuseUnsupported(body: ParsedRequest): void {
  if ((body.top_logprobs ?? 0) > 0) {
    throw badParameter('top_logprobs', 'is not supported; logprobs gives those of the sampled tokens');
  }
  const format = body.response_format?.type ?? 'text';
  if (format !== 'text') throw badParameter('response_format', `${format} is not supported; ask for it in a message`);
  if (typeof body.tool_choice === 'object' && body.tool_choice !== null) {
    throw badParameter('tool_choice', 'cannot force a call; send "auto" or "none"');
  }
  if (body.tool_choice === 'required') {
    throw badParameter('tool_choice', 'cannot force a call; send "auto" or "none"');
  }
}
