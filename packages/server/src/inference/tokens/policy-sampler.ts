import type { Tokenizer } from '@lachesis/sdk/render';
import { badParameter } from '../calls/body-rules.ts';
import type { CircuitBreaker } from '../calls/circuit-breaker.ts';
import type { CompletionCall } from '../calls/completion-call.ts';
import type { InferenceMetrics } from '../metrics.ts';
import type { PolicyHolder } from '../policy/holder.ts';
import { isEngineFailure } from '../tinker/to-lachesis-error.ts';
import { cutAtStop, type CutReply } from './cut-at-stop.ts';
import type { SamplePlan } from './sample-plan.ts';

export interface PolicySamplerOptions {
  tokenizer: Tokenizer;
  holder: PolicyHolder;
  breaker: CircuitBreaker;
  metrics: InferenceMetrics;
  defaultMaxTokens: number;
  /** Prompt and reply together; undefined when nobody knows. */
  maxModelLength: number | undefined;
}

/** The samples of one prompt. */
export interface SamplerReply {
  prompt: Int32Array;
  policyVersion: number;
  /** The registered model that answered, where it is one. */
  modelVersionId: string | undefined;
  replies: CutReply[];
  promptLogprobs: Float32Array | undefined;
}

/** Samples for the routes: one policy per prompt, held for as long as it is used. */
export class PolicySampler {
  readonly options: PolicySamplerOptions;

  constructor(options: PolicySamplerOptions) {
    this.options = options;
  }

  async sample(
    prompt: Int32Array,
    plan: SamplePlan,
    call: CompletionCall,
    { promptLogprobs = false } = {},
  ): Promise<SamplerReply> {
    const { tokenizer, holder, breaker, metrics } = this.options;
    if (prompt.length === 0) throw badParameter('prompt', 'is empty');
    const { stopTexts, skipSpecialTokens, includesStopText: keepsStopText, maxTotalTokens, ...asked } = plan;
    const request = { ...asked, maxTokens: this.#fit(prompt, asked.maxTokens, maxTotalTokens) };
    const circuit = breaker.enter();
    let held;
    try {
      held = await holder.acquire({ wanted: call.wantedPolicy, signal: call.signal });
    } catch (error) {
      circuit.abandoned();
      throw error;
    }
    try {
      const sampled = await held.sampler.sample({ ...request, prompt, promptLogprobs, signal: call.signal });
      circuit.succeeded();
      const replies = await Promise.all(
        sampled.sequences.map((each) =>
          cutAtStop({
            tokenizer,
            sampled: each,
            stopTokens: request.stopTokens,
            stopTexts,
            skipSpecialTokens,
            includesStopText: keepsStopText,
          }),
        ),
      );
      metrics.promptTokens.inc(prompt.length);
      metrics.sampledTokens.inc(sampled.sequences.reduce((sum, { tokens }) => sum + tokens.length, 0));
      return {
        prompt,
        policyVersion: held.policy.policy_version,
        modelVersionId: held.policy.model_version_id,
        replies,
        promptLogprobs: sampled.promptLogprobs,
      };
    } catch (error) {
      if (isEngineFailure(error)) circuit.failed(error instanceof Error ? error.message : String(error));
      else circuit.abandoned();
      throw error;
    } finally {
      held.release();
    }
  }

  /** A reply may end with the context; a prompt that fills it leaves no room for one. */
  #fit(prompt: Int32Array, maxTokens: number, maxTotalTokens = Infinity): number {
    const { maxModelLength = Infinity } = this.options;
    const room = Math.min(maxModelLength, maxTotalTokens) - prompt.length;
    if (room >= 1) return Math.min(maxTokens, room);
    throw badParameter(
      'prompt',
      maxTotalTokens < maxModelLength
        ? `has ${prompt.length} tokens, and max_total_tokens allows ${maxTotalTokens} with the reply`
        : `has ${prompt.length} tokens, and the model takes ${maxModelLength} with the reply`,
    );
  }
}
