import { decodeSampleResult } from '../codec/decode-sample-result.ts';
import { sampleResultFromJson } from '../codec/json-sample-result.ts';
import { areFinite } from '../codec/scan-values.ts';
import type { RawSampleResult, TopkLogprobs } from '../codec/sample-result.ts';
import type { Tensor } from '../codec/tensor.ts';
import { TinkerProtocolError, TinkerStoppedError } from '../errors/client-errors.ts';
import type { Reply } from '../transport/reply.ts';

export interface SampledSequence {
  tokens: Int32Array;
  /** One per token. */
  logprobs: Float32Array;
  stopReason: 'length' | 'stop';
  /** The server's name for the sequence, or one made here when it gives none. */
  sequenceId: string;
  /** Whether the name is the server's, and may be used as provenance. */
  isAuthoritative: boolean;
  topkLogprobs?: TopkLogprobs;
}

export interface SampleReply {
  sequences: SampledSequence[];
  /** One per prompt token; NaN where it is not defined, which is always so for the first. */
  promptLogprobs?: Float32Array;
  topkPromptLogprobs?: TopkLogprobs;
  targetPromptLogprobs?: Tensor;
  promptAlternatives?: { tokens: Tensor; logprobs: Tensor };
  promptCacheHitTokens: number;
}

export interface ReadSampleOptions {
  reply: Reply;
  samples: number;
  promptTokens: number;
  /** What was asked for beyond the sequences; an old server leaves it out without a word. */
  wantsPromptLogprobs: boolean;
  requestId: string;
  /** The names of the sequences the submission was answered with. */
  sequenceIds: readonly string[] | undefined;
  /** A prefix for names made here. */
  localName: string;
}

/** Reads a sample and holds it to what was promised: as many sequences as asked for, one log probability per token. */
export function readSample(options: ReadSampleOptions): SampleReply {
  const { reply, samples, promptTokens, wantsPromptLogprobs, requestId, sequenceIds, localName } = options;
  const raw = reply.isProtobuf ? decodeSampleResult(reply.bytes) : sampleResultFromJson(reply.json());
  const fail = (reason: string): TinkerProtocolError =>
    new TinkerProtocolError({ operation: 'asample', requestId, reason });
  if (raw.sequences.length !== samples) throw fail(`${raw.sequences.length} sequences came for ${samples}`);
  const sequences = raw.sequences.map(({ tokens, logprobs, stopReason, topk }, index): SampledSequence => {
    if (logprobs === undefined) throw fail(`sequence ${index} has no log probabilities`);
    if (logprobs.length !== tokens.length) {
      throw fail(`sequence ${index} has ${tokens.length} tokens and ${logprobs.length} log probabilities`);
    }
    if (!areFinite(logprobs) && logprobs.some(Number.isNaN)) {
      const reason = `sequence ${index} has a log probability of NaN: the weights or the prompt are broken`;
      throw new TinkerStoppedError({ operation: 'asample', requestId, reason });
    }
    const name = sequenceIds?.[index];
    return {
      tokens,
      logprobs,
      stopReason,
      sequenceId: name ?? `${localName}:${index}`,
      isAuthoritative: name !== undefined,
      ...(topk === undefined ? {} : { topkLogprobs: topk }),
    };
  });
  if (wantsPromptLogprobs && raw.promptLogprobs === undefined) throw fail('the prompt log probabilities are missing');
  return {
    sequences,
    promptCacheHitTokens: raw.promptCacheHitTokens,
    ...(raw.promptLogprobs === undefined
      ? {}
      : { promptLogprobs: alignPrompt(raw.promptLogprobs, promptTokens, fail) }),
    ...optional(raw),
  };
}

/** Some servers leave the first place out, because nothing precedes it. */
function alignPrompt(logprobs: Float32Array, promptTokens: number, fail: (reason: string) => Error): Float32Array {
  if (logprobs.length === promptTokens) return logprobs;
  if (logprobs.length !== promptTokens - 1) {
    throw fail(`${logprobs.length} prompt log probabilities came for ${promptTokens} tokens`);
  }
  const aligned = new Float32Array(promptTokens);
  aligned[0] = Number.NaN;
  aligned.set(logprobs, 1);
  return aligned;
}

const optional = ({ topkPrompt, targetPromptLogprobs, promptAlternatives }: RawSampleResult) => ({
  ...(topkPrompt === undefined ? {} : { topkPromptLogprobs: topkPrompt }),
  ...(targetPromptLogprobs === undefined ? {} : { targetPromptLogprobs }),
  ...(promptAlternatives === undefined ? {} : { promptAlternatives }),
});
