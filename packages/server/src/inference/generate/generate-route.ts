import { sglangGenerateRequestSchema, vllmGenerateRequestSchema } from '@lachesis/protocol';
import { z } from 'zod';
import { defineRoute, jsonOrByHand } from '../../http/define-route.ts';
import { checkValue, lateJsonBody } from '../../http/read-body.ts';
import { LARGE_BODY, type Route } from '../../http/route.ts';
import type { CompletionCall } from '../calls/completion-call.ts';
import { guardCompletion } from '../calls/guard-completion.ts';
import { badParameter, OPENAI_BODY } from '../calls/body-rules.ts';
import type { HandlerDeps } from '../openai/deps.ts';
import { recordCompletion } from '../recording/begin-call.ts';
import { collectSampled } from '../recording/collect-sampled.ts';
import { answerSglang } from './answer-sglang.ts';
import { answerVllm } from './answer-vllm.ts';
import { generateReplySchema, type GenerateAnswer } from './generate-answer.ts';

/** One address for two servers: what says `prompt` speaks vLLM's shape, everything else SGLang's. */
export function createGenerateRoute(deps: HandlerDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/generate',
    maxBodyBytes: LARGE_BODY,
    scope: 'inference:call',
    summary: 'Tokens in, tokens and log probabilities out, in the shape of SGLang or of vLLM.',
    body: lateJsonBody(z.union([sglangGenerateRequestSchema, vllmGenerateRequestSchema]), OPENAI_BODY),
    reply: jsonOrByHand(generateReplySchema),
    handle: (routeCall) =>
      guardCompletion(deps, routeCall, async (call) => {
        const body = await routeCall.body.read();
        routeCall.releaseBody();
        return recordCompletion(deps, { routeCall, call, endpoint: 'generate', body }, async (open) => {
          const { answer, sampled } = await answerGenerate(deps, body, call);
          open?.complete(collectSampled(sampled, { model: deps.modelName }));
          return answer;
        });
      }),
  });
}

async function answerGenerate(deps: HandlerDeps, body: unknown, call: CompletionCall): Promise<GenerateAnswer> {
  if (typeof body !== 'object' || body === null) throw badParameter('body', 'is not an object');
  if ('stream' in body && body.stream === true) {
    throw badParameter('stream', 'is not offered by /generate; use /v1/completions');
  }
  return 'prompt' in body
    ? answerVllm(deps, checkValue(body, vllmGenerateRequestSchema, OPENAI_BODY), call)
    : answerSglang(deps, checkValue(body, sglangGenerateRequestSchema, OPENAI_BODY), call);
}
