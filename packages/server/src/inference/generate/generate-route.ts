import { sglangGenerateRequestSchema, vllmGenerateRequestSchema } from '@lachesis/protocol';
import { z } from 'zod';
import { defineRoute, jsonOrByHand } from '../../http/define-route.ts';
import { checkValue, lateJsonBody } from '../../http/read-body.ts';
import { LARGE_BODY, type Route } from '../../http/route.ts';
import type { CompletionCall } from '../calls/completion-call.ts';
import { guardCompletion } from '../calls/guard-completion.ts';
import { badParameter, OPENAI_BODY } from '../calls/body-rules.ts';
import type { DoorParts } from '../openai/parts.ts';
import { recordCompletion } from '../recording/begin-call.ts';
import { collectSampled } from '../recording/collect-sampled.ts';
import { answerSglang } from './answer-sglang.ts';
import { answerVllm } from './answer-vllm.ts';
import { generateReplySchema, type GenerateAnswer } from './generate-answer.ts';

/** One address for two servers: what says `prompt` speaks vLLM's shape, everything else SGLang's. */
export function createGenerateRoute(parts: DoorParts): Route {
  return defineRoute({
    method: 'POST',
    path: '/generate',
    maxBodyBytes: LARGE_BODY,
    scope: 'inference:call',
    summary: 'Tokens in, tokens and log probabilities out, in the shape of SGLang or of vLLM.',
    body: lateJsonBody(z.union([sglangGenerateRequestSchema, vllmGenerateRequestSchema]), OPENAI_BODY),
    reply: jsonOrByHand(generateReplySchema),
    handle: (routeCall) =>
      guardCompletion(parts, routeCall, async (call) => {
        const body = await routeCall.body.read();
        routeCall.releaseBody();
        return recordCompletion(parts, { routeCall, call, endpoint: 'generate', body }, async (open) => {
          const { answer, sampled } = await answerGenerate(parts, body, call);
          open?.complete(collectSampled(sampled, { model: parts.modelName }));
          return answer;
        });
      }),
  });
}

async function answerGenerate(parts: DoorParts, body: unknown, call: CompletionCall): Promise<GenerateAnswer> {
  if (typeof body !== 'object' || body === null) throw badParameter('body', 'is not an object');
  if ('stream' in body && body.stream === true) {
    throw badParameter('stream', 'is not offered by /generate; use /v1/completions');
  }
  return 'prompt' in body
    ? answerVllm(parts, checkValue(body, vllmGenerateRequestSchema, OPENAI_BODY), call)
    : answerSglang(parts, checkValue(body, sglangGenerateRequestSchema, OPENAI_BODY), call);
}
