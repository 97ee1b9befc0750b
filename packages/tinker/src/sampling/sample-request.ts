import type { InputChunk } from '../codec/datum.ts';
import { chunksToJson } from '../codec/json-input.ts';
import { tensorToJson } from '../codec/json-tensor.ts';
import type { Tensor } from '../codec/tensor.ts';
import { TinkerValidationError } from '../errors/server-errors.ts';
import type { InvalidField } from '../errors/server-errors.ts';
import type { ServerProfile } from '../profile/server-profile.ts';
import { checkTokens } from '../training/check-datums.ts';
import type { WaitOptions } from '../transport/deadline.ts';

export interface SamplingParams {
  maxTokens?: number | undefined;
  /** Default 1. */
  temperature?: number | undefined;
  topP?: number | undefined;
  topK?: number | undefined;
  seed?: number | undefined;
  /**
   * Texts or token ids that end a sequence. Absent: the end-of-sequence token. An empty list: never, where the server can.
   */
  stop?: string | readonly number[] | readonly string[] | undefined;
}

export interface SampleOptions extends WaitOptions {
  /** Read whenever the sample is sent, which may be more than once: leave it as it is until the result. */
  prompt: Int32Array | readonly InputChunk[];
  /** Sequences to sample; default 1. */
  samples?: number | undefined;
  params: SamplingParams;
  promptLogprobs?: boolean | undefined;
  topkPromptLogprobs?: number | undefined;
  topkSampleLogprobs?: number | undefined;
  /** Tokens whose log probabilities are wanted at each place of the prompt; -1 skips. */
  targetPromptLogprobs?: Tensor | undefined;
  promptAlternatives?: number | undefined;
  /** Only for the last n places of the prompt. */
  promptLogprobsLast?: number | undefined;
}

export interface SampleRules {
  profile: ServerProfile;
  vocabularySize: number | undefined;
  maxLength: number | undefined;
  /** Ids that end a sequence, sent where the server does not stop by itself. */
  eosTokens: readonly number[] | undefined;
}

/** The number of tokens the prompt counts for. */
export const promptLength = (prompt: SampleOptions['prompt']): number =>
  prompt instanceof Int32Array
    ? prompt.length
    : prompt.reduce(
        (sum, chunk) => sum + (chunk.type === 'encoded_text' ? chunk.tokens.length : expectedTokens(chunk)),
        0,
      );

const expectedTokens = (chunk: InputChunk): number => ('expectedTokens' in chunk ? (chunk.expectedTokens ?? 0) : 0);

/** Checks a sample and returns its JSON with nothing in it that was not asked for: strict servers refuse defaults. */
export function toSampleRequest(options: SampleOptions, rules: SampleRules): Record<string, unknown> {
  const issues: InvalidField[] = [];
  checkSample(options, rules, issues);
  if (issues.length > 0) throw new TinkerValidationError({ operation: 'asample', fields: issues });
  const { prompt, samples = 1, params } = options;
  return {
    num_samples: samples,
    prompt: { chunks: chunksToJson(prompt) },
    sampling_params: {
      max_tokens: params.maxTokens,
      temperature: params.temperature ?? 1,
      top_p: params.topP,
      top_k: params.topK,
      seed: params.seed,
      stop: toStop(params.stop, rules),
    },
    prompt_logprobs: options.promptLogprobs === true ? true : undefined,
    topk_prompt_logprobs: positive(options.topkPromptLogprobs),
    topk_sample_logprobs: positive(options.topkSampleLogprobs),
    target_prompt_logprobs:
      options.targetPromptLogprobs === undefined ? undefined : tensorToJson(options.targetPromptLogprobs),
    prompt_alt_tokens_k: positive(options.promptAlternatives),
    prompt_logprobs_last_n: positive(options.promptLogprobsLast),
  };
}

const positive = (value: number | undefined): number | undefined => (value === 0 ? undefined : value);

function toStop(stop: SamplingParams['stop'], { profile, eosTokens }: SampleRules): unknown {
  if (stop === undefined) return profile.stopsAtEos ? undefined : eosTokens;
  return typeof stop === 'string' && profile.stopForm === 'list' ? [stop] : stop;
}

function checkSample(options: SampleOptions, rules: SampleRules, issues: InvalidField[]): void {
  const { prompt, samples = 1, params } = options;
  const { profile, vocabularySize, maxLength } = rules;
  const length = promptLength(prompt);
  if (!profile.takesImages && !(prompt instanceof Int32Array) && prompt.some(({ type }) => type !== 'encoded_text'))
    issues.push({ field: 'prompt', reason: 'has an image or audio, which this server does not take' });
  if (prompt.length === 0) issues.push({ field: 'prompt', reason: 'is empty' });
  for (const tokens of prompt instanceof Int32Array ? [prompt] : textOf(prompt)) {
    checkTokens(tokens, 'prompt', { vocabularySize }, issues);
  }
  if (!Number.isInteger(samples) || samples < 1) issues.push({ field: 'samples', reason: `is ${samples}` });
  const { maxTokens, temperature, stop } = params;
  if (maxTokens === undefined && profile.maxTokens !== 'optional') {
    const why = profile.maxTokens === 'required' ? 'this server refuses' : 'this server replaces by a few tokens';
    issues.push({ field: 'params.maxTokens', reason: `is missing, which ${why}` });
  }
  if (maxTokens !== undefined && (!Number.isInteger(maxTokens) || maxTokens < 1)) {
    issues.push({ field: 'params.maxTokens', reason: `is ${maxTokens}` });
  } else if (maxLength !== undefined && length + (maxTokens ?? 1) > maxLength) {
    issues.push({
      field: 'params.maxTokens',
      reason: `and the prompt of ${length} exceed the ${maxLength} tokens of the model`,
    });
  }
  if (temperature !== undefined && (!Number.isFinite(temperature) || temperature < 0)) {
    issues.push({ field: 'params.temperature', reason: `is ${temperature}` });
  }
  if (Array.isArray(stop) && stop.length === 0 && !profile.emptyStopMeansNever) {
    issues.push({
      field: 'params.stop',
      reason: 'is an empty list, which this server takes for its default; leave it out',
    });
  }
  if (stop === undefined && !profile.stopsAtEos && rules.eosTokens === undefined) {
    issues.push({
      field: 'params.stop',
      reason:
        'is missing; this server does not stop at the end-of-sequence token, so give its id, or eosTokens to the sampler',
    });
  }
}

const textOf = (chunks: readonly InputChunk[]): Int32Array[] =>
  chunks.flatMap((chunk) => (chunk.type === 'encoded_text' ? [chunk.tokens] : []));
